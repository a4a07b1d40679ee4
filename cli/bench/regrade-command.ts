import type { Command } from "commander";
import { collect, collectVariables, wholeNumber } from "../shared/option-values.ts";
import type { RegradeFlags } from "./options.ts";

const help = `
Every trial keeps what its agent changed. A regrade puts that into a fresh sandbox and runs the task's tests of today there: no agent, no model,
no cost. The results lie in the job's regrades/, a folder like a job's; the job itself stays as it was.

Examples:
  forge bench regrade jobs/1a2b3c                      all trials, with the tasks as they are now
  forge bench regrade 1a2b3c --task fixed/word-count   only this task's trials, with the mended one
  forge bench regrade jobs/1a2b3c --suite my-tasks/ --json
  forge compare jobs/1a2b3c/regrades/20260102T030405-a1b2c3

Exit codes: 0 regraded · 1 some trials could not be verified, and are named · 2 usage · 3 no trial can be, or less was kept than judged, or no sandbox · 4 a delta was changed`;

export function registerRegrade(bench: Command): void {
  bench
    .command("regrade")
    .description("verify a job's trials again from what their agents left, without agent and model")
    .argument("<job>", "the job's folder, or the beginning of its name in ./jobs")
    .option("--task <dir>", "a task's folder, mended; repeat it for several (default: all tasks, from where the job found them)", collect)
    .option("--suite <dir>", "a suite, mended: builtin, demo, or a folder of tasks")
    .option("--sandbox <kind>", "docker, bubblewrap, local or local-unsafe (default: the job's)")
    .option("--task-env <name>", "a variable of your environment that tasks may read; repeat it (default: none)", collectVariables)
    .option("--jobs <n>", "verifications at a time (default: 2)", wholeNumber)
    .option(
      "--kept-is-enough",
      "also trials whose tests saw more than the workdir or the declared paths (official mode, verify = snapshot or live), if those are all they need",
    )
    .option("--json", "one JSON object a trial, the result last")
    .addHelpText("after", help)
    .action(async (job: string, options: RegradeFlags) => {
      const { regrade } = await import("./regrade-bench.ts");
      process.exitCode = await regrade(job, options);
    });
}
