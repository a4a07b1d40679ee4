import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../harness/events/schema.ts";
import { runFixture } from "../../testing.ts";
import { loadTrace, type LoadedTrace } from "../../traces/read/load-trace.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";
import { bisect } from "../../traces/replay/bisect.ts";
import { generatedRun, optionsOf } from "./generated-run.ts";

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
      { numRuns: 25, endOnFailure: true },
    );
  }, 60_000);

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
    expect(divergence).toMatchObject({ at: "main#0" });
    expect(divergence?.diff).toContain('-    "task": "one"');
  });
});
