import type { Command } from "commander";
import { loadAtOnce } from "../../harness/package/load-at-once.ts";
import { dollarAmount, wholeNumber } from "../shared/option-values.ts";
import type { RunFlags } from "./options.ts";

const help = `
Works in the current folder. Commands are asked for; with nobody at the terminal they are denied unless --yes.
A checkpoint of the folder is kept in .forge/shadow.git before the first change, the trace in .forge/runs.

Examples:
  forge run "make the failing test pass"
  forge run "rename the option --out to --output everywhere" --model anthropic/claude-sonnet-5-5 --yes
  git diff | forge run "review this change" --json
  forge run "…" --json-stream                    every event of the run as a line, the result last`;

export function registerRun(program: Command): void {
  program
    .command("run")
    .description("do a task in the current folder with the same agent that a bench measures")
    .argument("[task...]", "what to do; standard input is added when it is piped")
    .option("--config <file|preset>", "a configuration file or a preset's name")
    .option("--model <provider/name>", "the model")
    .option("--base-url <url>", "address of a compatible server")
    .option("--protocol <protocol>", "native or text: how the model calls tools")
    .option("--turns <n>", "model calls at most", wholeNumber)
    .option("--max-cost <usd>", "stop at this cost", dollarAmount)
    .option("--sandbox <kind>", "bubblewrap or local (default: bubblewrap where it works)")
    .option("--yes", "run commands without asking")
    .option("--trust", "run the middleware files that this repository's configuration names, as they are now (else you are asked)")
    .option("--json", "one JSON object at the end")
    .option("--json-stream", "every event as a line of JSON, the result last")
    .addHelpText("after", help)
    .action(async (words: string[], options: RunFlags) => {
      loadAtOnce(import.meta.url, "./run-task.js");
      const { runTask } = await import("./run-task.ts");
      process.exitCode = await runTask(words.join(" "), options);
    });
}
