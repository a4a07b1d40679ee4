import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { DamagedError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { readSeal } from "../../../traces/format/seal.ts";
import { replayTrace, type ReplayVerdict } from "../../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { interleave } from "./independent-lanes.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-reordered-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** Numbered, chained and sealed by the recorder, in this order. */
function write(events: readonly RunEvent[]): string {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  trace.seal("a".repeat(64));
  return folder;
}

type Options = ReturnType<typeof optionsOf>;
const replayed = async (folder: string, { middleware = [] }: Options): Promise<ReplayVerdict> =>
  replayTrace(await loadTrace(folder), { assemble: async () => middleware });

/** All that must not hang on the order: what L0 and L1 say, each lane's digest, and of the seal all but the head of the chain. */
async function told(folder: string, options: Options) {
  const { lines } = await loadTrace(folder);
  const { head: _chained, ...seal } = readSeal(folder) ?? { head: "none" };
  const { folder: _place, ...verified } = await verifyTrace(folder);
  const digests = Object.fromEntries(lines.map(({ lane, s }) => [lane, s]));
  return { verified, replay: await replayed(folder, options), digests, seal };
}

type Generated = typeof generatedRun extends fc.Arbitrary<infer R> ? R : never;
/**
 * Runs that nothing but their lanes ties together: no shared limit that one lane uses up before another, no end from outside or by a failure, which comes
 * between other events elsewhere, and no second try of a call, which waits for its neighbours.
 */
const apart = ({ main, subagent, does }: Generated): Generated => {
  const tame = (turns: Generated["main"]): Generated["main"] =>
    turns.map((turn) => ({
      ...turn,
      failures: Math.min(turn.failures, 2),
      calls: turn.calls.map(({ name, delay }) => ({ name: ["breaks", "fails"].includes(name) ? "agent" : name, delay })),
    }));
  return {
    main: tame(main),
    subagent: tame(subagent),
    does: does.filter((habit) => habit !== "retries a call"),
    limits: { turns: 8 },
    cancelAfter: undefined,
    cancelBy: "person",
  };
};
const quick = (...names: string[]) => ({ calls: names.map((name) => ({ name, delay: 1 })), failures: 0, delay: 1 });
const parallel = apart({
  main: [quick("look", "agents", "agent"), quick("write", "look")],
  subagent: [quick("look", "glance")],
  does: ["injects", "side calls"],
  limits: {},
  cancelAfter: undefined,
  cancelBy: "person",
});

describe("the order of events in lanes that do not depend on each other", () => {
  it("changes no verdict, no lane's digest and nothing in the seal but the head of the chain", async () => {
    let displaced = 0;
    await fc.assert(
      fc.asyncProperty(generatedRun.map(apart), fc.infiniteStream(fc.nat(1_000_000)), async (generated, choices) => {
        const options = optionsOf(generated);
        const { events } = await runFixture(options);
        const other = interleave(events, (count) => (choices.next().value ?? 0) % count);
        expect(other.toSorted(byPlace)).toEqual(events.toSorted(byPlace));
        const before = await told(write(events), options);
        expect(before.replay).toMatchObject({ exact: true, equal: events.length });
        expect(await told(write(other), options)).toEqual(before);
        displaced += other.filter((event, i) => event !== events[i]).length;
      }),
      { numRuns: draws(25), seed: 1, endOnFailure: true, examples: [[parallel, fc.stream(numbers())]] },
    );
    expect(displaced).toBeGreaterThan(draws(25) / 3);
  }, 120_000);

  it("is no other order where an effect stands before its cause: the trace is damaged", async () => {
    const { events } = await runFixture(optionsOf(parallel));
    const result = events.findIndex(({ t, lane }) => t === "tool.result" && lane === "main/1.1");
    const request = events.findIndex(({ t, lane, d }) => t === "model.request" && lane === "main" && d["turn"] === 2);
    await expect(verifyTrace(write(moved(events, result, request)))).rejects.toThrow(DamagedError);
  });

  it("is not free where a lane waits for two others: the one that ended first must end first again", async () => {
    const options = optionsOf({ ...parallel, main: [quick("agents")], subagent: [], does: [] });
    const { events } = await runFixture(options);
    const joined = events.findLastIndex(({ t }) => t === "agent.join");
    const [first = "", second = ""] = events.filter(({ t }) => t === "agent.join").map(({ d }) => String(d["lane"]));
    const inside = events.slice(0, joined).filter(({ lane }) => [first, second].includes(lane));
    const around = events.slice(0, joined).filter((event) => !inside.includes(event) && event.t !== "agent.join");
    const joins = events.filter(({ t }) => t === "agent.join");
    const swapped = [second, first].flatMap((name) => inside.filter(({ lane }) => lane === name));
    const other = [...around, ...swapped, ...joins, ...events.slice(joined + 1)];
    expect(other.toSorted(byPlace)).toEqual(events.toSorted(byPlace));
    await verifyTrace(write(other));
    expect(await replayed(write(events), options)).toMatchObject({ exact: true });
    expect(await replayed(write(other), options)).toMatchObject({ exact: false, divergence: { at: "main/1.1#3" } });
  });
});

/** The event at `from` behind the one at `to`. */
const moved = (events: readonly RunEvent[], from: number, to: number): RunEvent[] =>
  events.toSpliced(to + 1, 0, ...events.slice(from, from + 1)).toSpliced(from, 1);
const byPlace = (a: RunEvent, b: RunEvent): number => (a.lane === b.lane ? a.n - b.n : a.lane < b.lane ? -1 : 1);
function* numbers(): Generator<number> {
  for (let i = 7; ; i = (i * 48_271) % 2_147_483_647) yield i;
}
