import type { Command } from "commander";
import { wholeNumber } from "../shared/option-values.ts";

const corpusHelp = `
Each run commits one fault that is known beforehand. The job does not say which; key.jsonl does, with the event (run:seq) at which it
happens and the middleware or setting that helps. The same seed gives the same runs. The faults are listed in docs/simulated-model.md.

Examples:
  forge sim corpus --out corpus --runs 210 --seed 1
  forge sim corpus --out loops --runs 20 --seed 7 --faults repeats-failing-call,alternates-two-calls
  forge sim corpus --out helped --runs 42 --seed 1 --config standard    the same faults, met by another harness`;

const serveHelp = `
The model is called sim-<seed>. Which task a conversation is about is told by the instruction in its first message. Nothing but this machine
can reach it unless --host says otherwise. Ctrl-C ends it.

Examples:
  forge sim serve builtin
  forge sim serve my-tasks --port 8099 --profile careless
  forge sim serve builtin --faults rate-limited,breaks-off              every run meets one of these
  forge bench builtin --model local/sim-7 --base-url http://127.0.0.1:8099/v1
  OPENAI_BASE_URL=http://127.0.0.1:8099/v1 OPENAI_API_KEY=none your-agent --model sim-7`;

export function registerSim(program: Command): void {
  const sim = program.command("sim").description("the simulated model: runs with known faults, and a server for other agents");
  sim
    .command("corpus")
    .description("write runs with one known fault each, and a key that tells them")
    .requiredOption("--out <dir>", "a folder that does not exist yet, or is empty")
    .requiredOption("--runs <n>", "how many")
    .option("--seed <n>", "a whole number below 2^31", "1")
    .option("--faults <names>", "names or globs with commas between them (default: all)")
    .option("--suite <suite>", "builtin, demo, or a folder of tasks with plans", "builtin")
    .option("--config <file|preset>", "the harness that meets the faults", "bare")
    .option("--protocol <protocol>", "native or text (default: native)")
    .option("--sandbox <kind>", "docker, bubblewrap or local (default: bubblewrap where it works)")
    .option("--jobs <n>", "runs at a time (default: the number of cores, at most 4)", wholeNumber)
    .option("--json", "one JSON object with the key")
    .addHelpText("after", corpusHelp)
    .action(async (flags) => {
      const { corpusFromOptions } = await import("./corpus-from-options.ts");
      process.exitCode = await corpusFromOptions(flags);
    });
  sim
    .command("serve")
    .description("serve simulated models in the wire formats of OpenAI and Anthropic")
    .argument("[suite]", "builtin, demo, or a folder of tasks with plans", "builtin")
    .option("--port <n>", "0: a free one", "0")
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--profile <name>", "default, careless, perfect, varied, one-fault, or a fault")
    .option("--faults <names>", "each run commits one of these; names or globs with commas between them, or all")
    .option("--realtime", "replies take the time that a provider's would")
    .option("--json", "one JSON object with the addresses, once it listens")
    .addHelpText("after", serveHelp)
    .action(async (suite: string, flags) => {
      const { serveFromOptions } = await import("./serve.ts");
      process.exitCode = await serveFromOptions(suite, flags);
    });
}
