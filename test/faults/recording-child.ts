/** A run that is recorded in the folder of its argument, without a model. Prints after each flush how many events are durable, and `sealed` at the end. */
import { createFixtureSandbox } from "../../harness/fixtures/fixture-sandbox.ts";
import { createFixtureTools } from "../../harness/fixtures/fixture-tools.ts";
import { runAgent } from "../../harness/agent/run-agent.ts";
import type { Ports } from "../../harness/contract/ports.ts";
import { createScriptedModel } from "../../harness/models/scripted/scripted-model.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";

const [folder = "", turns = "40"] = process.argv.slice(2);
const clock = { now: () => Date.now(), sleep: async () => undefined };
const trace = recordTrace(folder, { clock, micros: () => performance.now() * 1000 });
// every third observation is a blob
const tools = createFixtureTools({ bash: ({ args }) => `${JSON.stringify(args)} `.repeat(Number(args["step"]) % 3 === 0 ? 400 : 2) });
const model = createScriptedModel((_request, { ordinal }) =>
  ordinal < Number(turns) ? { calls: [{ name: "bash", args: { step: ordinal } }] } : { text: "end" },
);
let emitted = 0;
const ports: Ports = {
  model,
  tools,
  clock,
  sandbox: createFixtureSandbox({}),
  random: { next: () => 0.5 },
  user: { ask: async () => undefined },
  sink: {
    emit(event) {
      trace.emit(event);
      emitted++;
    },
    async flush() {
      await trace.flush();
      if (!process.stdout.write(`${emitted}\n`)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    },
  },
};
const config = {
  name: "recording",
  hash: "0".repeat(64),
  model: { name: "scripted/script", protocol: "native" as const, maxOutputTokens: 1000 },
  system: [{ name: "identity", text: "You are a coding agent." }],
  tools: tools.schemas,
  middleware: [],
  limits: { turns: 10_000 },
};
try {
  await runAgent(config, ports, { task: "Go on." }, { middleware: [], seed: 1 });
  trace.seal(null);
  process.stdout.write("sealed\n");
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 3;
} finally {
  trace.close();
}
