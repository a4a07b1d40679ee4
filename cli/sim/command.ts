import type { Command } from "commander";
import { corpusOptions, serveOptions, type CorpusFlags, type ServeFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerSim(program: Command): void {
  const sim = program
    .command("sim")
    .summary("simulated models with known faults")
    .description("The simulated model: runs with known faults, and a server for other agents.");
  withHelp(sim, { examples: [["forge sim corpus --out corpus --runs 210"], ["forge sim serve builtin"]] });
  const corpus = sim
    .command("corpus")
    .description("write runs with one known fault each, and a key that names it")
    .action(async (flags: CorpusFlags) => {
      const { corpusFromOptions } = await import("./corpus-from-options.ts");
      process.exitCode = await corpusFromOptions(flags);
    });
  withOptions(corpus, corpusOptions);
  withHelp(corpus, {
    details:
      "Each run commits one fault. The job does not say which; key.jsonl does, with the event (run:seq) at which it happens and the middleware or setting that helps. The same seed gives the same runs. The faults are listed in docs/simulated-model.md.",
    examples: [
      ["forge sim corpus --out corpus --runs 210 --seed 1"],
      ["forge sim corpus --out loops --runs 20 --faults repeats-failing-call"],
      ["forge sim corpus --out helped --runs 42 --config standard", "the same, another harness"],
    ],
  });
  const serve = sim
    .command("serve")
    .description("serve simulated models in the wire formats of OpenAI and Anthropic")
    .argument("[suite]", "builtin, demo, or a folder of tasks with plans", "builtin")
    .action(async (suite: string, flags: ServeFlags) => {
      const { serveFromOptions } = await import("./serve.ts");
      process.exitCode = await serveFromOptions(suite, flags);
    });
  withOptions(serve, serveOptions);
  withHelp(serve, {
    details:
      "The model is called sim-<seed>. A conversation's task is recognised by the instruction in its first message. Only this machine can reach the server unless --host says otherwise. Ctrl-C ends it.",
    examples: [
      ["forge sim serve my-tasks --port 8099 --profile careless"],
      ["forge sim serve builtin --faults rate-limited,breaks-off", "every run meets one of these"],
      ["forge bench --model local/sim-7 --base-url http://127.0.0.1:8099/v1"],
    ],
  });
}
