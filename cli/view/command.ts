import type { Command } from "commander";
import { viewOptions, type ViewFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerView(program: Command): void {
  const view = program
    .command("view")
    .summary("jobs and runs in the browser")
    .description("Look at jobs and runs in the browser: progress, verdict, tasks, traces, two runs side by side, blast radius.")
    .argument("[job|run...]", "what to show (default: ./jobs and ./.forge/runs)")
    .action(async (names: string[], options: ViewFlags) => {
      const { view: show } = await import("./view-jobs.ts");
      process.exitCode = await show(names, options);
    });
  withOptions(view, viewOptions);
  withHelp(view, {
    details:
      "JOB is a job's name, the beginning of its id, its folder, or a folder of jobs; RUN is a run's folder, or a bundle (.tgz). RUN:SEQ opens at that event. Pages are served on this machine only, to anyone with the printed address; nothing is changed, and nothing is fetched from elsewhere. Ctrl-C ends it.",
    examples: [
      ["forge view", "every job and run here"],
      ["forge view jobs/1a2b3c/trials/csv-totals/bare/1/attempt-1:34", "a run, at its event 34"],
      ["forge view shared.tgz --no-open", "a bundle; only print the address"],
    ],
  });
}
