import type { Command } from "commander";
import { pointsOption } from "../shared/option-values.ts";
import type { ReportFlags } from "./report-jobs.ts";

const help = `
JOB is a job's folder, or the beginning of its name in ./jobs; or results of another runner, as forge compare takes them. Without --html, --markdown or --json: a summary for the terminal.
The page is one file without scripts: it opens from a mail attachment, prints, and fetches nothing. Its links to runs work where it was written.
The verdict is that of forge compare, and counts in the same ledger.

Examples:
  forge report jobs/1a2b3c                              the answer and a screenful of what it rests on
  forge report 1a2b --html report.html                  the page
  forge report 1a2b 9f8e --baseline bare --html r.html  two jobs, all configurations with one
  forge report harbor-jobs/a harbor-jobs/b --html r.html
  forge report 1a2b --markdown > report.md
  forge report 1a2b --json | jq .interventions`;

export function registerReport(program: Command): void {
  program
    .command("report")
    .description("a job as a page: verdict, differences, tasks, cost, distributions, failures, interventions, and how to see it again")
    .argument("<job...>", "folders of jobs, or the beginnings of their names in ./jobs; or results of other runners")
    .option("--html <file>", "write one self-contained HTML file")
    .option("--markdown", "Markdown on standard output")
    .option("--json", "one JSON object")
    .option("--baseline <configuration|job>", "compare all others with this one (default: all pairs)")
    .option("--margin <points>", "two arms closer than this are equivalent; stated before the results are seen", pointsOption)
    .option("--format <format>", "what the named places hold, where it cannot be told: forge, harbor, terminal-bench, inspect, csv, jsonl")
    .addHelpText("after", help)
    .action(async (jobs: string[], options: ReportFlags) => {
      const { reportJobs } = await import("./report-jobs.ts");
      await reportJobs(jobs, options);
    });
}
