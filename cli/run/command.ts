import type { Command } from "commander";
import { loadAtOnce } from "../../harness/package/load-at-once.ts";
import { runOptions, type RunFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerRun(program: Command): void {
  const run = program
    .command("run")
    .summary("do a task in this folder")
    .description("Do a task in the current folder with the same agent that a bench measures.")
    .argument("[task...]", "what to do; standard input is added when it is piped")
    .action(async (words: string[], options: RunFlags) => {
      loadAtOnce(import.meta.url, "./run-task.js");
      const { runTask } = await import("./run-task.ts");
      process.exitCode = await runTask(words.join(" "), options);
    });
  withOptions(run, runOptions);
  withHelp(run, {
    details:
      "You are asked before a command runs; without a terminal commands are denied unless --yes is given. A checkpoint of the folder is kept in .forge/shadow.git before the first change, the trace in .forge/runs.",
    examples: [
      ['forge run "make the failing test pass"'],
      ['forge run "rename --out to --output" --model anthropic/claude-sonnet-5-5 --yes'],
      ['git diff | forge run "review this change" --json'],
    ],
  });
}
