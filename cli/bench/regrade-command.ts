import type { Command } from "commander";
import { regradeOptions, type RegradeFlags } from "./options.ts";
import { jobPlace } from "../shared/job-places.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerRegrade(bench: Command): void {
  const command = bench
    .command("regrade")
    .description("verify a job's trials again, without agent and model")
    .argument("<job>", jobPlace)
    .action(async (job: string, options: RegradeFlags) => {
      const { regrade } = await import("./regrade-bench.ts");
      process.exitCode = await regrade(job, options);
    });
  withOptions(command, regradeOptions);
  withHelp(command, {
    details:
      "Every trial keeps what its agent changed. A regrade puts that into a fresh sandbox and runs the task's current tests there. The results are written to the job's regrades/, a folder like a job's; the job itself does not change.",
    examples: [
      ["forge bench regrade jobs/1a2b3c", "all trials, with the tasks as they are now"],
      ["forge bench regrade 1a2b3c --task fixed/word-count", "only this task's trials, corrected"],
      ["forge compare jobs/1a2b3c/regrades/20260102T030405-a1b2c3"],
    ],
    exitCodes:
      "0 regraded · 1 some trials could not be verified, and are named · 2 usage · 3 no trial can be, or less was kept than judged, or no sandbox · 4 a delta was changed",
  });
}
