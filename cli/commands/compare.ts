import type { Command } from "commander";

const help = `
Verdicts: better, worse, better on this suite only, no difference shown, too few tasks (under 15), withheld (simulated), not comparable.
Exit code 1: a significant regression. 3: not comparable.

Examples:
  forge compare jobs/1a2b3c                       all configurations of one job
  forge compare jobs/before jobs/after --json
  forge compare jobs/1a2b3c --baseline bare`;

export function registerCompare(program: Command): void {
  program
    .command("compare")
    .description("say with statistics whether one configuration is better than another, on which tasks and at what cost")
    .argument("<job...>", "folders of jobs")
    .option("--baseline <configuration>", "compare all others with this one (default: the first)")
    .option("--json", "one JSON object")
    .addHelpText("after", help)
    .action(async (jobs: string[], options: { baseline?: string; json?: boolean }) => {
      const { compareJobs } = await import("../compare-jobs.ts");
      process.exitCode = await compareJobs(jobs, options);
    });
}
