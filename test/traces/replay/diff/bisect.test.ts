import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware, type AnyMiddleware } from "../../../../harness/contract/middleware.ts";
import type { RunEvent } from "../../../../harness/events/schema.ts";
import { runFixture } from "../../../../testing.ts";
import { loadTrace, type LoadedTrace } from "../../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../../traces/record/record-trace.ts";
import { bisect } from "../../../../traces/replay/diff/bisect.ts";
import { startDifferences } from "../../../../traces/replay/diff/start-differences.ts";
import { generatedRun, optionsOf } from "../../generated-run.ts";
import { draws } from "../../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-bisect-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

async function write(events: readonly RunEvent[]): Promise<LoadedTrace> {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock: { now: () => made, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  trace.seal(null);
  return loadTrace(folder);
}

describe("bisecting two runs", () => {
  it("finds the very event that was changed, whichever it is, and nothing in a run and its copy", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, fc.nat(), async (generated, at) => {
        const { events } = await runFixture(optionsOf(generated));
        const a = await write(events);
        expect(bisect(a, await write(events))).toMatchObject({ identical: true, divergence: undefined, same: events.length });
        const index = at % events.length;
        const changed = events.map((event, i) => (i === index ? { ...event, d: { ...event.d, added: true } } : event));
        const { divergence, seq, identical } = bisect(a, await write(changed));
        expect({ identical, seq }).toEqual({ identical: false, seq: { a: index, b: index } });
        expect(divergence?.at).toBe(`${events[index]?.lane}#${events[index]?.n}`);
      }),
      { numRuns: draws(25), endOnFailure: true },
    );
  });

  it("looks at few digests of a long run, and takes times and the trial's name for no difference", async () => {
    const script = Array.from({ length: 200 }, (_, i) => ({ calls: [{ name: "bash", args: { command: `step ${i}` } }] }));
    const { events } = await runFixture({ script: [...script, { text: "end" }], exec: (command) => command, limits: { turns: 300 } });
    const a = await write(events);
    const later = events.map((event) => ({
      ...event,
      d: {
        ...event.d,
        ...("activeMs" in event.d ? { activeMs: 77 } : {}),
        ...(event.n === 0 && event.t === "run.start" ? { meta: { trial: 2 } } : {}),
      },
    }));
    expect(bisect(a, await write(later))).toMatchObject({ identical: false, divergence: undefined });
    const other = later.map((event) =>
      event.lane === "main/150.1" && event.t === "tool.result" ? { ...event, d: { ...event.d, callId: "other" } } : event,
    );
    const found = bisect(a, await write(other));
    expect(found.divergence).toMatchObject({ class: "observation", at: "main/150.1#1", turn: 150 });
    expect(found.probes).toBeLessThan(2 * (2 * 200 + 20));
  });

  it("of runs of which one goes on longer names what the other has not", async () => {
    const run = (turns: number) => {
      const script = Array.from({ length: turns }, (_, i) => ({ calls: [{ name: "bash", args: { command: `${i}` } }] }));
      return runFixture({ script: [...script, { text: "end" }], exec: (command) => command });
    };
    const { divergence } = bisect(await write((await run(2)).events), await write((await run(3)).events));
    expect(divergence).toMatchObject({ class: "reply", turn: 3, what: "model.response main#6 differs." });
    const { events } = await run(3);
    const cut = bisect(await write(events.slice(0, -4)), await write(events));
    expect(cut.divergence?.what).toMatch(/^At main\S* the first run has nothing more, the second \S+\.$/);
  });

  it("shows which message of a request differs", async () => {
    const run = (text: string) =>
      runFixture({ script: [{ calls: [{ name: "bash", args: {} }] }, { text: "end" }], exec: () => "x", task: text });
    const { divergence } = bisect(await write((await run("one")).events), await write((await run("two")).events));
    expect(divergence).toMatchObject({ at: "main#1", class: "message", what: "The request main#1 differs in message 0." });
    expect(divergence?.diff).toContain('-      "text": "one"');
  });
});

describe("bisecting runs of two configurations", () => {
  /** Replies of its turns; other ids of calls with each run, as a provider gives them. */
  const run = async (saying: readonly string[], more: Partial<Parameters<typeof runFixture>[0]> = {}): Promise<LoadedTrace> => {
    const script = saying.map((command, i) => ({ text: command, calls: [{ name: "bash", id: `id-${made}-${i}`, args: { command } }] }));
    return write((await runFixture({ script: [...script, { text: "end" }], exec: (command) => command, ...more })).events);
  };
  const nudge = (asks: number, text?: string) =>
    middleware("nudge", "1", z.strictObject({ asks: z.int() }), ({ asks: times }) => ({
      async model(call, next, state) {
        for (let i = 0; i < times; i++) await state.exec("true");
        if (text !== undefined && call.messages.length > 4) state.inject(text, "it is time");
        return next(call);
      },
    })).create({ asks });

  it("tells in which keys they were begun otherwise, and the first step of the conversation that differs", async () => {
    const a = await run(["look", "read", "write"], { limits: { turns: 8 }, model: { name: "p/one" } });
    const b = await run(["look", "read", "wipe"], { limits: { turns: 9, tokens: 5000 }, model: { name: "p/two", temperature: 0.5 } });
    const { configuration, divergence, same, seq } = bisect(a, b);
    expect(configuration).toEqual([
      { key: "model.name", a: "p/one", b: "p/two" },
      { key: "model.temperature", b: 0.5 },
      { key: "limits.turns", a: 8, b: 9 },
      { key: "limits.tokens", b: 5000 },
    ]);
    expect(divergence).toMatchObject({ class: "reply", turn: 3, what: "model.response main#6 differs." });
    expect(divergence?.diff).toContain('-        "text": "write"\n+        "text": "wipe"');
    expect([a, b].map((trace, i) => trace.lines[(i === 0 ? seq.a : seq.b) ?? -1]?.t)).toEqual(["model.response", "model.response"]);
    expect(same).toBe((seq.a ?? 0) - 1); // all before it but the beginning
  });

  it("shows the message of a request that differs, not the parameters, which the configurations differ in anyway", async () => {
    const a = await run(["look"], { task: "one", model: { temperature: 0 } });
    const b = await run(["look"], { task: "two", model: { temperature: 1 } });
    expect(bisect(a, b)).toMatchObject({
      configuration: [{ key: "model.temperature" }, { key: "input.task" }],
      divergence: { class: "message", what: "The request main#1 differs in message 0." },
    });
  });

  it("does not stop at what a middleware looks at or notes in silence, but at what it says", async () => {
    const one = (saying: readonly string[], ...own: AnyMiddleware[]) => run(saying, { middleware: own, limits: { turns: 8 } });
    const two = (saying: readonly string[], ...own: AnyMiddleware[]) => run(saying, { middleware: own, limits: { turns: 9 } });
    const silent = bisect(await one(["look", "read"], nudge(1)), await two(["look", "wipe"], nudge(2)));
    expect(silent.divergence).toMatchObject({ class: "reply", turn: 2 });
    const said = bisect(await one(["look", "read"]), await two(["look", "read"], nudge(1, "Now check.")));
    expect(said.divergence).toMatchObject({ class: "intervention", turn: 3 });
    const asked = bisect(await one(["look", "read"], nudge(1, "Check.")), await two(["look", "read"], nudge(3, "Check.")));
    expect(asked.divergence).toMatchObject({ class: "intervention", what: expect.stringContaining("the second port.read") });
  });

  it("names parts of a configuration by their names, and their order where that is all", () => {
    const start = (config: object, more: object = {}): RunEvent => ({ t: "run.start", lane: "main", n: 0, cause: [], d: { config, input: { task: "t" }, model: {}, meta: { trial: made++ }, seed: made, ...more } as RunEvent["d"] }); // prettier-ignore
    const own = (name: string, options: object) => ({ name, version: "1", options, changed: options });
    const a = start({ hash: "1", name: "a", system: [{ name: "identity", text: "x" }], middleware: [own("p", { k: 1 }), own("q", {})] });
    const b = start({ hash: "2", name: "a", system: [{ name: "identity", text: "y" }], middleware: [own("p", { k: 2 }), own("r", {})] });
    expect(startDifferences(a, b)).toEqual([
      { key: "system.identity.text", a: "x", b: "y" },
      { key: "middleware.p.options.k", a: 1, b: 2 },
      { key: "middleware.q", a: { version: "1", options: {} } },
      { key: "middleware.r", b: { version: "1", options: {} } },
    ]);
    const [first, second] = [own("p", {}), own("q", {})];
    const turned = startDifferences(start({ middleware: [first, second] }), start({ middleware: [second, first] }));
    expect(turned).toEqual([{ key: "the order of middleware", a: ["p", "q"], b: ["q", "p"] }]);
    expect(startDifferences(start({ hash: "1" }), start({ hash: "2" }))).toEqual([{ key: "hash", a: "1", b: "2" }]);
    expect(startDifferences(start({}), start({}, { input: { task: "u" } }))).toEqual([{ key: "input.task", a: "t", b: "u" }]);
    expect(startDifferences(start({}), start({}))).toEqual([]);
  });

  it("shows the beginning itself where nothing else differs", async () => {
    const a = await write((await runFixture({ script: [{ text: "end" }], limits: { turns: 8 } })).events);
    const b = await write((await runFixture({ script: [{ text: "end" }], limits: { turns: 9 } })).events);
    const found = bisect(a, b);
    expect(found).toMatchObject({ identical: false, configuration: [{ key: "limits.turns", a: 8, b: 9 }], divergence: { at: "main#0" } });
    expect(found.divergence?.diff).toContain('-      "turns": 8');
  });
});
