import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { runFixture } from "../../../testing.ts";
import { resultText } from "../../../reports/terminal/run-list.ts";
import { forkTree, type ForkNode } from "../../../traces/store/fork-tree.ts";
import { runOverview, type RunOverview } from "../../../traces/read/run-overview.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { pinRun } from "../../../traces/format/pin.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { recoverTrace } from "../../../traces/keep/recover-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-overview-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const clock = { now: () => 1_700_000_000_000, sleep: async () => undefined };

function write(events: readonly RunEvent[], o: { seal?: boolean; passed?: boolean } = {}): string {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  if (o.passed !== undefined) trace.evidence("verifier.result", { rewards: { reward: 1 }, passed: o.passed });
  if (o.seal === false) trace.close();
  else trace.seal(null);
  return folder;
}
const { events } = await runFixture({
  script: [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "end" }],
  exec: () => "x",
  task: `${"Do it. ".repeat(2000)}`,
});

describe("a run's overview", () => {
  it("is read from the ends of the trace: what was asked, how it ended and what it used, though the task is a payload of its own", async () => {
    const found = await runOverview(write(events, { passed: true }));
    const end = events.find(({ t }) => t === "run.end");
    expect(found).toMatchObject({ state: "sealed", startedAt: 1_700_000_000_000, outcome: "done", passed: true, spent: end?.d["spent"] });
    expect(found.task).toMatch(/^Do it\. Do it\./);
    expect(found.task).toHaveLength(200);
    expect(found.start).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is the same for a compressed trace, and says that a run is pinned", async () => {
    const folder = write(events, { passed: false });
    const before = await runOverview(folder);
    await compressTrace(folder);
    expect(await runOverview(folder)).toEqual({ ...before, touchedAt: expect.any(Number) });
    expect(pinRun(folder, { pinned: true, now: 0 })).toBe(true);
    expect((await runOverview(folder)).pinned).toBe(true);
    expect(pinRun(folder, { pinned: true, now: 0 })).toBe(false);
  });

  it("says that a run was recovered where that is recorded, and not of one whose end merely lies far from the end of its file", async () => {
    const notes = Array.from({ length: 1200 }, (_, n) => ({
      t: "note" as const,
      lane: "notes",
      n,
      cause: [],
      d: { text: "x".repeat(1000) },
    }));
    const [far, cut] = [await runOverview(write([...events, ...notes], { passed: true })), write(events.slice(0, 3), { seal: false })];
    expect([far.recovered, far.outcome, far.passed, resultText(far)]).toEqual([undefined, undefined, true, "passed"]);
    expect(resultText(await runOverview(write([...events, ...notes])))).toBe("sealed, no end in its last MiB");
    await recoverTrace(cut, { clock, micros: () => 0, sync: false });
    expect(await runOverview(cut)).toMatchObject({ state: "sealed", recovered: true });
    expect(resultText(await runOverview(cut))).toBe("cut off, recovered");
    const done = write(events, { seal: false });
    await recoverTrace(done, { clock, micros: () => 0, sync: false });
    expect(resultText(await runOverview(done))).toBe("done, recovered");
  });

  it("is the same for a compressed trace of many pieces", async () => {
    const notes = Array.from({ length: 400 }, (_, n) => ({
      t: "note" as const,
      lane: "notes",
      n,
      cause: [],
      d: { text: `${n} `.repeat(500) },
    }));
    const folder = write([...events.slice(0, -1), ...notes, ...events.slice(-1)], { passed: true });
    const before = await runOverview(folder);
    expect(before).toMatchObject({ outcome: "done", passed: true });
    await compressTrace(folder);
    expect(await runOverview(folder)).toEqual({ ...before, touchedAt: expect.any(Number) });
  });

  it("tells one that is written now from one that was cut off, from an empty and from a damaged one", async () => {
    const cut = write(events.slice(0, 3), { seal: false });
    expect(await runOverview(cut)).toMatchObject({ state: "cut off" });
    expect(await runOverview(cut)).not.toHaveProperty("outcome");
    const open = join(root, "open");
    const trace = recordTrace(open, { clock, micros: () => 0 });
    expect(await runOverview(open)).toMatchObject({ state: "running", task: "" });
    for (const event of events) trace.emit(event);
    expect(await runOverview(open)).toMatchObject({ state: "running", outcome: "done" });
    trace.close();
    truncateSync(join(cut, "trace.jsonl"), 10);
    expect(await runOverview(cut)).toMatchObject({ state: "empty" });
    writeFileSync(join(cut, "trace.jsonl"), "x".repeat(2 ** 21));
    expect(await runOverview(cut)).toMatchObject({ state: "empty" });
    writeFileSync(join(cut, "trace.jsonl"), "\n", { flag: "a" });
    expect(await runOverview(cut)).toMatchObject({ state: "damaged", why: expect.stringContaining("longer than 1 MiB") });
    rmSync(join(cut, "trace.jsonl"));
    execFileSync("mkfifo", [join(cut, "trace.jsonl")]);
    expect(await runOverview(cut)).toMatchObject({ state: "unreadable", why: expect.stringContaining("is no file") });
    const later = write(events);
    writeFileSync(join(later, "trace.jsonl"), readFileSync(join(later, "trace.jsonl"), "utf8").replaceAll('{"v":1,', '{"v":2,'));
    expect(await runOverview(later)).toMatchObject({ state: "later version", why: expect.stringContaining("version 2") });
    const shorter = write(events);
    truncateSync(join(shorter, "trace.jsonl"), 200);
    expect(await runOverview(shorter)).toMatchObject({ state: "damaged", why: expect.stringMatching(/200 bytes and was sealed with/) });
    const changed = write(events);
    writeFileSync(join(changed, "seal.json"), readFileSync(join(changed, "seal.json"), "utf8").replace('"v":1', '"v":2'));
    expect(await runOverview(changed)).toMatchObject({
      state: "damaged",
      why: expect.stringMatching(/has version 2 and fails its own digest/),
    });
  });

  it("tells when a trace was written though it cannot be opened", async () => {
    const folder = write(events);
    await compressTrace(folder);
    writeFileSync(join(folder, "trace.jsonl.gz.json"), "{}");
    utimesSync(join(folder, "trace.jsonl.gz"), 1000, 1000);
    expect(await runOverview(folder)).toMatchObject({ state: "damaged", touchedAt: 1_000_000, startedAt: 1_000_000 });
  });

  it("never throws, whatever stands in the file", async () => {
    const line = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({
          t: fc.constantFrom("run.start", "run.end", "verifier.result"),
          d: fc.dictionary(fc.constantFrom("config", "meta", "input", "outcome", "spent"), fc.jsonValue()),
        })
        .map(({ t, d }) => JSON.stringify({ v: 1, seq: 0, t, lane: "main", n: 0, ts: 0, dt: 0, cause: [], d, s: "", prev: "", h: "" })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), async (lines) => {
        const folder = join(root, `run-${made++}`);
        mkdirSync(folder);
        writeFileSync(join(folder, "trace.jsonl"), `${lines.join("\n")}\n`);
        expect(["cut off", "empty", "damaged"]).toContain((await runOverview(folder)).state);
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 200 },
    );
  });
});

describe("the tree of forks", () => {
  const blank = {
    state: "sealed",
    startedAt: 0,
    touchedAt: 0,
    task: "",
    configuration: "",
    model: "",
    agent: "",
    bytes: 0,
    pinned: false,
  } as const;
  const run = (start: string, parent?: { start: string; step: number }): RunOverview => ({
    ...blank,
    folder: start,
    start,
    ...(parent ? { parent: { run: "elsewhere", answered: false, ...parent } } : {}),
  });
  const shape = ({ run: { start }, forks }: ForkNode): unknown => [start, ...forks.map(shape)];

  it("hangs each run below the one it went on from, by turn, and leaves at the top whose parent is not there", () => {
    const runs = [
      run("c", { start: "a", step: 3 }),
      run("d", { start: "c", step: 5 }),
      run("a"),
      run("b", { start: "a", step: 1 }),
      run("x", { start: "gone", step: 1 }),
    ];
    expect(forkTree(runs).map(shape)).toEqual([["a", ["b"], ["c", ["d"]]], ["x"]]);
  });

  it("shows every run once, though parents lead in a circle", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e");
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, fc.option(name)), { selector: ([one]) => one }), (pairs) => {
        const roots = forkTree(pairs.map(([own, parent]) => run(own, parent === null ? undefined : { start: parent, step: 1 })));
        const all = JSON.stringify(roots.map(shape)).match(/[a-e]/g) ?? [];
        expect(all.toSorted()).toEqual(pairs.map(([own]) => own).toSorted());
      }),
    );
  });
});
