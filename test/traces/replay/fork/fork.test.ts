import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware, type AnyMiddleware } from "../../../../harness/contract/middleware.ts";
import type { Ports } from "../../../../harness/contract/ports.ts";
import { runAgent } from "../../../../harness/agent/run-agent.ts";
import type { AgentInput } from "../../../../harness/contract/run-result.ts";
import type { ResolvedConfig } from "../../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../../harness/events/schema.ts";
import { createScriptedModel, createFixtureSandbox, createFixtureTools, runFixture, type FixtureOptions } from "../../../../testing.ts";
import { loadTrace, type LoadedTrace } from "../../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../../traces/record/record-trace.ts";
import { eventsBefore, forkPorts, isReply, type ForkPoint } from "../../../../traces/replay/fork/fork-ports.ts";
import { planFork } from "../../../../traces/replay/fork/plan-fork.ts";
import { replayTrace } from "../../../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../../../traces/replay/verify/verify-trace.ts";
import { generatedRun, optionsOf } from "../../generated-run.ts";
import { draws } from "../../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-fork-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const clock = { now: () => 0, sleep: async () => undefined };
const record = () => recordTrace(join(root, `run-${made++}`), { clock, micros: () => 0, sync: false });

async function recorded(events: readonly RunEvent[]): Promise<LoadedTrace> {
  const trace = record();
  for (const event of events) trace.emit(event);
  trace.seal(null);
  return loadTrace(trace.folder);
}
const configOf = (trace: LoadedTrace): ResolvedConfig => trace.events[0]?.d["config"] as unknown as ResolvedConfig; // what a run records
const requests = (events: readonly RunEvent[]): unknown[] =>
  events.filter(({ t, lane }) => t === "model.request" && lane === "main").map(({ d }) => d["hash"]);

/** Goes on with `o`'s parts at `step`; counts what was asked of them. */
async function fork(trace: LoadedTrace, at: number | ForkPoint, o: FixtureOptions, config = configOf(trace)) {
  const point = typeof at === "number" ? { step: at, answered: false } : at;
  const asked = { model: 0, tools: 0, sandbox: 0 };
  let early = 0;
  let open = (): boolean => false;
  const ask = (whom: keyof typeof asked): void => {
    asked[whom]++;
    if (!open()) early++;
  };
  const sink = record();
  const model = Array.isArray(o.script) || !("identity" in o.script) ? createScriptedModel(o.script) : o.script;
  const tools = (o.tools ?? createFixtureTools({ bash: () => "now" })) as Ports["tools"]; // those of the tests are
  const box = createFixtureSandbox({ ...(o.files ? { files: o.files } : {}), ...(o.exec ? { exec: o.exec } : {}) });
  const live: Ports = {
    model: { identity: model.identity, call: (request, place) => (ask("model"), model.call(request, place)) },
    tools: { ...tools, call: (call, context) => (ask("tools"), tools.call(call, context)) },
    sandbox: { ...box, exec: (command, given) => (ask("sandbox"), box.exec(command, given)) },
    clock,
    random: { next: () => 0.5 },
    user: { ask: async () => undefined },
    sink,
  };
  const { ports, lost, isLive, close } = forkPorts(trace, point, live);
  open = isLive;
  const start = trace.events[0]?.d ?? {};
  const run = runAgent(config, ports, start["input"] as unknown as AgentInput, { middleware: o.middleware ?? [], seed: 1 });
  await Promise.race([run, lost]);
  close();
  sink.seal(null);
  return { asked, early, trace: await loadTrace(sink.folder), folder: sink.folder };
}

const nag = (text: string, turn: number): AnyMiddleware =>
  middleware("nag", "1", z.strictObject({}), () => ({
    async model(call, next, run) {
      const calls = run.log.calls.length;
      if (calls >= turn - 1) run.intervene("noted", text);
      return next(calls >= turn - 1 ? { ...call, system: [...call.system, { name: "nag", text }] } : call);
    },
  })).create({});

const remark = (after: string): AnyMiddleware =>
  middleware("remark", "1", z.strictObject({}), () => ({
    async tool(call, next, run) {
      const reply = await next(call);
      if (call.args["command"] === after) run.inject("Think again.", "the call that is looked at");
      return reply;
    },
  })).create({});

const calls = (n: number): FixtureOptions["script"] => [
  ...Array.from({ length: n }, (_, i) => ({ calls: [{ name: "bash", args: { command: `step ${i}` } }] })),
  { text: "the end" },
];

describe("a fork of a recorded run", () => {
  it("with the same configuration is never planned, whatever happened in the run", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const o = optionsOf(generated);
        const trace = await recorded((await runFixture(o)).events);
        expect(await planFork(trace, { config: configOf(trace), middleware: o.middleware ?? [] })).toBeUndefined();
      }),
      { numRuns: draws(15), endOnFailure: true },
    );
  });

  it("at any turn with the same configuration makes the same next request, having asked nobody before", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, fc.nat(), async (generated, at) => {
        const o = optionsOf({ ...generated, cancelAfter: undefined });
        const trace = await recorded((await runFixture(o)).events);
        const hashes = requests(trace.events);
        if (hashes.length === 0) return;
        const step = 1 + (at % hashes.length);
        const planned = await planFork(trace, { config: configOf(trace), middleware: o.middleware ?? [], from: step });
        expect(planned?.step).toBe(step);
        const again = await fork(trace, step, optionsOf({ ...generated, cancelAfter: undefined }));
        const before = eventsBefore(trace.events, { step, answered: false });
        expect(requests(again.trace.events).slice(0, step)).toEqual(hashes.slice(0, step));
        const replies = (events: readonly RunEvent[]): number =>
          events.filter(({ t }) => t === "model.response" || t === "model.attempt").length;
        expect(again.asked.model).toBe(replies(again.trace.events) - replies(before));
        expect(again.early).toBe(0);
        expect(await verifyTrace(again.folder)).toMatchObject({ sealed: true });
      }),
      { numRuns: draws(20), endOnFailure: true },
    );
  });

  it("goes on where the other configuration first acts differently, and its trace can be replayed by itself", async () => {
    const trace = await recorded((await runFixture({ script: calls(4), exec: (command) => `then ${command}` })).events);
    const config: ResolvedConfig = { ...configOf(trace), middleware: [{ name: "nag", version: "1", options: {}, changed: {} }] };
    const planned = await planFork(trace, { config, middleware: [nag("look again", 3)] });
    expect(planned).toMatchObject({ step: 3, answered: false, otherModel: false });
    const { asked, trace: forked, folder } = await fork(trace, 3, { script: calls(2), middleware: [nag("look again", 3)] }, config);
    expect(requests(forked.events).slice(0, 2)).toEqual(requests(trace.events).slice(0, 2));
    expect(requests(forked.events)[2]).not.toEqual(requests(trace.events)[2]);
    const results = forked.events.filter(({ t }) => t === "tool.result").map(({ d }) => JSON.stringify(d["reply"]));
    expect(results.slice(0, 2).every((text) => text.includes("then step"))).toBe(true);
    expect(results.slice(2).every((text) => text.includes("now"))).toBe(true);
    expect(asked.tools).toBe(results.length - 2);
    await verifyTrace(folder);
    expect(await replayTrace(forked, { assemble: async () => [nag("look again", 3)] })).toMatchObject({ exact: true });
  });

  it("leaves the recording before an intervention that the other configuration does not make, though only the next request shows it", async () => {
    const options = { script: calls(4), exec: (command: string) => `then ${command}`, middleware: [remark("step 1")] };
    const trace = await recorded((await runFixture(options)).events);
    const planned = await planFork(trace, { config: { ...configOf(trace), middleware: [] }, middleware: [] });
    expect(planned).toMatchObject({ step: 2, answered: true, divergence: { turn: 3 } });
    if (!planned) return;
    const { trace: forked, early } = await fork(trace, planned, { script: calls(4) }, { ...configOf(trace), middleware: [] });
    expect([forked.events.filter(({ t }) => t === "middleware"), early]).toEqual([[], 0]);
    expect(forked.events.at(-1)).toMatchObject({ t: "run.end", d: { outcome: { type: "done" } } });
    await expect(planFork(trace, { config: configOf(trace), middleware: [], from: 3 })).rejects.toThrow(
      /acts differently in turn 2 already/,
    );
  });

  it("without its middlewares reaches the point that was planned for it, whatever happened in the run", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const o = { ...optionsOf({ ...generated, cancelAfter: undefined }), middleware: [] };
        const trace = await recorded((await runFixture(optionsOf({ ...generated, cancelAfter: undefined }))).events);
        const config = { ...configOf(trace), middleware: [] };
        const planned = await planFork(trace, { config, middleware: [] });
        if (!planned) return;
        const again = await fork(trace, planned, o, config);
        expect(again.early).toBe(0);
        expect(again.trace.events.some(({ t, lane }) => t === "run.end" && lane === "main")).toBe(true);
      }),
      { numRuns: draws(30), endOnFailure: true },
    );
  });

  it("keeps the reply about which the other configuration does something else, and carries its calls out live", async () => {
    const trace = await recorded((await runFixture({ script: calls(4), exec: (command) => `then ${command}` })).events);
    const config: ResolvedConfig = { ...configOf(trace), middleware: [{ name: "remark", version: "1", options: {}, changed: {} }] };
    const planned = await planFork(trace, { config, middleware: [remark("step 1")] });
    expect(planned).toMatchObject({ step: 2, answered: true });
    if (!planned) return;
    const {
      asked,
      early,
      trace: forked,
      folder,
    } = await fork(trace, planned, { script: calls(4), middleware: [remark("step 1")] }, config);
    expect(requests(forked.events).slice(0, 2)).toEqual(requests(trace.events).slice(0, 2));
    const replies = (events: readonly RunEvent[]): unknown[] => events.filter(isReply).map(({ d }) => d["message"]);
    expect(replies(forked.events).slice(0, 2)).toEqual(replies(trace.events).slice(0, 2));
    const results = forked.events.filter(({ t }) => t === "tool.result").map(({ d }) => JSON.stringify(d["reply"]));
    expect(results.map((text) => text.includes("then step"))).toEqual([true, false, false, false]);
    expect(forked.events.filter(({ t }) => t === "middleware").map(({ d }) => d["text"])).toEqual(["Think again."]);
    expect([asked, early]).toEqual([{ model: 3, tools: 3, sandbox: 0 }, 0]);
    await verifyTrace(folder);
    expect(await replayTrace(forked, { assemble: async () => [remark("step 1")] })).toMatchObject({ exact: true });
  });

  it("with another model begins at its first request, or at the turn that was asked for", async () => {
    const trace = await recorded((await runFixture({ script: calls(3), exec: () => "x" })).events);
    const config = { ...configOf(trace), model: { ...configOf(trace).model, name: "scripted/other" } };
    expect(await planFork(trace, { config, middleware: [] })).toMatchObject({ step: 1, otherModel: true, divergence: undefined });
    expect(await planFork(trace, { config, middleware: [], from: 3 })).toMatchObject({ step: 3 });
    const { asked } = await fork(trace, 1, { script: calls(1) }, config);
    expect(asked).toMatchObject({ model: 2, tools: 1 });
  });

  it("is refused at a turn that the run has not, or that the other configuration does not reach as recorded", async () => {
    const trace = await recorded((await runFixture({ script: calls(3), exec: () => "x" })).events);
    const config = configOf(trace);
    await expect(planFork(trace, { config, middleware: [], from: 9 })).rejects.toThrow(/There is no turn 9 in .*: its last one is 4\./);
    await expect(planFork(trace, { config, middleware: [nag("no", 2)], from: 4 })).rejects.toThrow(
      /acts differently in turn 2 already, so it cannot be brought to turn 4 as recorded: .*Give --from 2 or less/,
    );
    await expect(fork(trace, 4, { script: calls(1), middleware: [nag("no", 2)] })).rejects.toMatchObject({
      name: "CannotError",
      message: expect.stringMatching(/cannot be brought to turn 4 as recorded/),
    });
  });
});
