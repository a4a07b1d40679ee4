import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { middleware } from "../../../harness/contract/middleware.ts";
import type { Ports } from "../../../harness/contract/ports.ts";
import type { Limits } from "../../../harness/contract/run-result.ts";
import { runAgent } from "../../../harness/agent/run-agent.ts";
import { createFixtureSandbox } from "../../../harness/fixtures/fixture-sandbox.ts";
import { createFixtureTools } from "../../../harness/fixtures/fixture-tools.ts";
import { ModelError } from "../../../harness/contract/model-error.ts";
import { createScriptedModel, type Script } from "../../../harness/models/scripted/scripted-model.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { recoverTrace } from "../../../traces/keep/recover-trace.ts";

const lookAround = middleware("look-around", "1", z.strictObject({}), () => ({
  async start(run) {
    const { stdout } = await run.exec("ls");
    return { messages: [`Files here: ${stdout}`] };
  },
})).create({});

const call = (name: string, args: Record<string, string>) => ({ calls: [{ name, args, id: `call-${name}` }] });
const everything: Script = (_request, { lane, ordinal }) => {
  if (lane !== "main") return { text: "Two lines." };
  const turns = [
    {
      ...call("bash", { command: "wc -l notes.txt" }),
      failures: [new ModelError("rate_limit", "Slow down.", { status: 429, retryAfterMs: 500 })],
    },
    call("agent", { task: "Count the lines of notes.txt." }),
  ];
  return turns[ordinal] ?? { text: "notes.txt has two lines." };
};

/** Lines of real traces, in which each type of event occurs, the same each time. */
export async function exampleLines(): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), "forge-examples-"));
  try {
    const one = await record(join(root, "one"), everything, { turns: 8 });
    const limited = await record(join(root, "limited"), () => call("bash", { command: "true" }), { turns: 1 });
    const cancelled = await record(join(root, "cancelled"), () => call("bash", { command: "cancel" }), { turns: 9 });
    return [...one, ...limited, ...cancelled, ...(await others(join(root, "others")))];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A clock that goes on by a millisecond a question. */
function fixedTime(): { clock: Ports["clock"]; micros: () => number } {
  let now = 1_767_225_600_000;
  return { clock: { now: () => now++, sleep: async () => undefined }, micros: () => (now - 1_767_225_600_000) * 1000 };
}

/** Lines of a run that a script stands in for the model of; `own`: tools and sandbox in place of those of the fixtures. */
export async function record(
  folder: string,
  script: Script,
  limits: Limits,
  own?: (clock: Ports["clock"]) => Pick<Ports, "tools" | "sandbox">,
): Promise<string[]> {
  const time = fixedTime();
  const trace = recordTrace(folder, { ...time, sync: false });
  const controller = new AbortController();
  const fixtures = createFixtureTools({
    async bash({ args }, context) {
      if (args["command"] === "cancel") controller.abort(new Error("SIGINT"));
      context.signal.throwIfAborted();
      context.emit("user.approval", {
        question: { kind: "approval", text: `Run ${String(args["command"])}?`, choices: ["yes", "no"] },
        answer: "yes",
      });
      return { text: "2 notes.txt", effects: { edited: [] }, activeMs: 12 };
    },
    agent: async ({ args }, context) => String((await context.spawn({ task: String(args["task"]) }))["answer"]),
  });
  const model = createScriptedModel(script);
  const { tools, sandbox } = own?.(time.clock) ?? { tools: fixtures, sandbox: createFixtureSandbox({ exec: () => "notes.txt" }) };
  const config = {
    name: "example",
    hash: "0".repeat(64),
    model: { name: "scripted/script", protocol: "native" as const, maxOutputTokens: 1000 },
    system: [{ name: "identity", text: "You are a coding agent." }],
    tools: tools.schemas,
    middleware: [{ name: "look-around", version: "1", options: {}, changed: {} }],
    limits,
  };
  const ports: Ports = { ...time, model, tools, sandbox, random: { next: () => 0.5 }, user: { ask: async () => undefined }, sink: trace };
  const input = { task: "How many lines has notes.txt?" };
  await runAgent(config, ports, input, { middleware: [lookAround], signal: controller.signal, seed: 7, meta: { forgeVersion: "0.1.0" } });
  trace.evidence("fs.snapshot", { tree: "5".repeat(64), changed: ["notes.txt"], removed: [] });
  trace.evidence("verifier.result", { rewards: { reward: 1 }, score: 1, passed: true, mode: "hardened" });
  trace.evidence("note", { text: "checkpoint before the first change" });
  trace.seal(null);
  return linesOf(folder);
}

/** What only imported runs hold, and what a killed one leaves. */
async function others(folder: string): Promise<string[]> {
  const time = fixedTime();
  const trace = recordTrace(folder, { ...time, sync: false });
  trace.emit({ t: "user.input", lane: "main", n: 0, cause: [], d: { text: "And the words?" } });
  trace.emit({ t: "context.compact", lane: "main", n: 1, cause: [], d: { turn: 40 } });
  trace.close();
  await recoverTrace(folder, { ...time, sync: false });
  return linesOf(folder);
}

const linesOf = (folder: string): string[] => readFileSync(join(folder, "trace.jsonl"), "utf8").trim().split("\n");
