/**
 * The test kit for middleware and tools: a scripted model and a sandbox made of a map, around the real loop, the real recorder and the real replay.
 * @example
 * const run = await runFixture({ middleware: [nag.create({ after: 2 })], script: [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "DONE" }] });
 * expect(run.interventions).toEqual([…]);
 * expect((await run.replay()).exact).toBe(true);
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { AnyMiddleware } from "./harness/contract/middleware.ts";
import type { ModelRequest, Model, Ports, Tools } from "./harness/contract/ports.ts";
import type { Limits, RunResult } from "./harness/contract/run-result.ts";
import { runAgent } from "./harness/agent/run-agent.ts";
import type { ResolvedConfig, ResolvedModel } from "./harness/contract/resolved-config.ts";
import { knownOptions } from "./harness/known-options.ts";
import type { EventData, RunEvent } from "./harness/events/schema.ts";
import { createFixtureSandbox, type FixtureExec } from "./harness/fixtures/fixture-sandbox.ts";
import { createFixtureTools, type FixtureTool } from "./harness/fixtures/fixture-tools.ts";
import { createScriptedModel, type Script } from "./harness/models/scripted/scripted-model.ts";
import { loadTrace } from "./traces/read/load-trace.ts";
import { recordTrace } from "./traces/record/record-trace.ts";
import { replayTrace, type ReplayVerdict } from "./traces/replay/replay-trace.ts";
import { verifyTrace } from "./traces/replay/verify/verify-trace.ts";

export { createFixtureSandbox, type FixtureExec } from "./harness/fixtures/fixture-sandbox.ts";
export { createFixtureTools, type FixtureTool } from "./harness/fixtures/fixture-tools.ts";
export { runTool, toolFaults, type ToolFixture, type ToolRun } from "./harness/fixtures/run-tool.ts";
export { createScriptedModel, type Script, type ScriptedReply } from "./harness/models/scripted/scripted-model.ts";

export interface FixtureOptions {
  readonly middleware?: readonly AnyMiddleware[];
  /** The model's replies, turn by turn; or a model. */
  readonly script: Script | Model;
  readonly task?: string;
  readonly files?: Record<string, string>;
  readonly exec?: FixtureExec;
  /** Default: a `bash` that returns what `exec` returns for the command, without edits and checks. */
  readonly tools?: Readonly<Record<string, FixtureTool>> | Tools;
  readonly limits?: Limits;
  readonly model?: Partial<ResolvedModel>;
  /** Version of the loop; default the newest. */
  readonly loop?: 1 | 2;
  readonly signal?: AbortSignal;
  readonly redact?: (text: string) => string;
  readonly ports?: Partial<Ports>;
}

export interface FixtureRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** Every `middleware` event's data, in order. The middleware is its `name`; `run.log.interventions` inside a middleware calls it `middleware`. */
  readonly interventions: readonly EventData<"middleware">[];
  /** The requests to the model, retries included. */
  readonly requests: readonly ModelRequest[];
  /** L0, then L1 with the same middleware (or other ones, to see where they diverge). */
  replay(middleware?: readonly AnyMiddleware[]): Promise<ReplayVerdict>;
}

/** Runs the agent with fixtures for its ports, records it in a temporary folder, and can replay it. */
export async function runFixture(o: FixtureOptions): Promise<FixtureRun> {
  knownOptions("runFixture", o, {
    middleware: true,
    script: true,
    task: true,
    files: true,
    exec: true,
    tools: true,
    limits: true,
    model: true,
    loop: true,
    signal: true,
    redact: true,
    ports: true,
  });
  const folder = await mkdtemp(join(tmpdir(), "forge-fixture-"));
  try {
    return await recordAndLoad(o, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function recordAndLoad(o: FixtureOptions, folder: string): Promise<FixtureRun> {
  const sandbox = createFixtureSandbox({ ...(o.files ? { files: o.files } : {}), ...(o.exec ? { exec: o.exec } : {}) });
  const tools = isTools(o.tools) ? o.tools : createFixtureTools(o.tools ?? { bash: ({ args }) => bashText(o.exec, args["command"]) });
  const model = isModel(o.script) ? o.script : createScriptedModel(o.script);
  const requests: ModelRequest[] = [];
  const clock = { now: () => Date.now(), sleep: async (_ms: number, signal?: AbortSignal) => signal?.throwIfAborted() };
  const trace = recordTrace(folder, { clock, micros: () => performance.now() * 1000, sync: false });
  const ports: Ports = {
    model: { identity: model.identity, call: (request, place) => (requests.push(request), model.call(request, place)) },
    tools,
    sandbox,
    clock,
    random: { next: () => Math.random() },
    user: { ask: async () => undefined },
    ...(o.redact ? { redact: o.redact } : {}),
    ...o.ports,
    sink: trace,
  };
  const middleware = o.middleware ?? [];
  const config = fixtureConfig(o, middleware, tools);
  const result = await runAgent(
    config,
    ports,
    { task: o.task ?? "Do it." },
    { middleware, ...(o.signal ? { signal: o.signal } : {}), seed: 1 },
  );
  trace.seal(null);
  const check = await verifyTrace(folder);
  const loaded = await loadTrace(folder);
  const interventions = loaded.events.flatMap((event) => (event.t === "middleware" ? [event.d as unknown as EventData<"middleware">] : []));
  return {
    result,
    events: loaded.events,
    interventions,
    requests,
    async replay(others = middleware) {
      if (!check.sealed) throw new Error("The fixture's trace was not sealed.");
      return replayTrace(loaded, { assemble: async () => others });
    },
  };
}

function fixtureConfig(o: FixtureOptions, middleware: readonly AnyMiddleware[], tools: Tools): ResolvedConfig {
  return {
    name: "fixture",
    hash: "0".repeat(64),
    model: { name: "scripted/script", protocol: "native", maxOutputTokens: 1000, ...o.model },
    system: [{ name: "identity", text: "You are a coding agent." }],
    tools: tools.schemas,
    middleware: middleware.map(({ name, version }) => ({ name, version, options: {}, changed: {} })),
    limits: o.limits ?? { turns: 50 },
    ...(o.loop === 1 ? {} : { loop: 2 as const }),
  };
}

const isModel = (script: Script | Model): script is Model => "identity" in script;
const isTools = (tools: FixtureOptions["tools"]): tools is Tools => typeof (tools as Tools | undefined)?.readOnly === "function";

function bashText(exec: FixtureExec | undefined, command: unknown): string {
  const answer = exec?.(String(command)) ?? "";
  return typeof answer === "string" ? answer : (answer.stdout ?? "");
}
