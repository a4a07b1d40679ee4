import type { Command } from "commander";
import { portNumber } from "../shared/option-values.ts";
import type { ViewFlags } from "./view-jobs.ts";

const help = `
JOB is a job's folder, the beginning of its name in ./jobs, or a folder in which jobs lie; RUN is a run's folder, or a bundle (.tgz). RUN:SEQ opens at
that event, as compare, search and replay name it. Left out: ./jobs and ./.forge/runs.
The pages are served to this machine alone, to whoever has the printed address; nothing is changed, and nothing is fetched from elsewhere.
Ctrl-C ends it.

Examples:
  forge view                                        every job and run here; a running job is followed
  forge view 1a2b3c                                 one job: verdict, tasks, trials, traces
  forge view jobs/1a2b3c/trials/csv-totals/bare/1/attempt-1:34
                                                    a run, at its event 34
  forge view shared.tgz --no-open                   runs that somebody sent; only print the address
  forge view --port 7000 --json                     for scripts: {"url": …, "port": 7000} and then nothing more`;

export function registerView(program: Command): void {
  program
    .command("view")
    .description("look at jobs and runs in the browser: progress, verdict, tasks, traces, two runs side by side, blast radius")
    .argument("[job|run...]", "what to show (default: ./jobs and ./.forge/runs)")
    .option("--port <n>", "the port to listen on (default: a free one)", portNumber)
    .option("--open", "open the browser, also where no terminal asks for it")
    .option("--no-open", "only print the address")
    .option("--json", "one JSON object with the address")
    .addHelpText("after", help)
    .action(async (names: string[], options: ViewFlags) => {
      const { view } = await import("./view-jobs.ts");
      process.exitCode = await view(names, options);
    });
}
