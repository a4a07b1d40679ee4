import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { choosePrunable } from "../../../traces/keep/choose-prunable.ts";
import { collectBlobs } from "../../../traces/keep/collect-blobs.ts";
import { pinRun } from "../../../traces/format/pin.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { removeTrace, storedBytes } from "../../../traces/keep/remove-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-keep-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const clock = { now: () => 0, sleep: async () => undefined };

function sealed(texts: readonly string[]): string {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock, micros: () => 0, sync: false });
  texts.forEach((text, n) => trace.emit({ t: "note", lane: "main", n, cause: [], d: { text, nested: [text, { deep: `${text}${n}` }] } }));
  trace.seal(null);
  return folder;
}
const put = (path: string, text = "left over"): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

describe("collecting payloads", () => {
  it("removes what nothing refers to and halves of blobs, keeps all that is needed, and touches nothing else", async () => {
    const folder = sealed(["a".repeat(9000), "b".repeat(9000)]);
    const before = await verifyTrace(folder);
    const hash = "ab".repeat(32);
    const unneeded = [put(join(folder, "blobs", "ab", hash)), put(join(folder, "blobs", "ab", `${hash}.part`))];
    const outside = put(join(root, "outside", hash));
    const foreign = [
      put(join(folder, "blobs", "ab", "README")),
      put(join(folder, "blobs", "notes.txt")),
      put(join(folder, "blobs", "cd", hash)),
    ];
    symlinkSync(dirname(outside), join(folder, "blobs", "ef"));
    expect(await collectBlobs(folder, { dryRun: true })).toEqual({ kept: before.blobs, removed: 2, bytes: 18, foreign: 4 });
    for (const path of unneeded) expect(existsSync(path)).toBe(true);
    expect(await collectBlobs(folder, { dryRun: false })).toMatchObject({ removed: 2 });
    for (const path of unneeded) expect(existsSync(path)).toBe(false);
    for (const path of [...foreign, outside]) expect(existsSync(path)).toBe(true);
    expect(await verifyTrace(folder)).toEqual(before);
    expect(await collectBlobs(folder, { dryRun: false })).toMatchObject({ removed: 0 });
  });

  it("removes nothing of a trace that is not sealed, is damaged, lacks a blob or is being written", async () => {
    const open = join(root, "open");
    const trace = recordTrace(open, { clock, micros: () => 0 });
    await expect(collectBlobs(open, { dryRun: false })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/not sealed/),
    });
    trace.close();
    const folder = sealed(["a".repeat(9000), "b".repeat(9000)]);
    const stray = put(join(folder, "blobs", "ab", "ab".repeat(32)));
    const [first = ""] = readdirSync(join(folder, "blobs")).filter((name) => name !== "ab");
    rmSync(join(folder, "blobs", first), { recursive: true });
    await expect(collectBlobs(folder, { dryRun: false })).rejects.toMatchObject({ exitCode: 3 });
    expect(existsSync(stray)).toBe(true);
  });
});

describe("pruning", () => {
  const run = fc.record({
    folder: fc.uuid(),
    state: fc.constantFrom("sealed" as const, "running" as const, "cut off" as const, "damaged" as const),
    pinned: fc.boolean(),
    touchedAt: fc.nat(1000),
    stored: fc.nat(100),
  });
  const rule = fc.record(
    { olderThanMs: fc.nat(1000), largerThan: fc.nat(100), keep: fc.nat(500), unsealed: fc.constant(true) },
    { requiredKeys: [] },
  );

  it("never gives up a run that is pinned, written or damaged, none without a rule, and no more than the rules ask for", () => {
    fc.assert(
      fc.property(fc.array(run), rule, (runs, asked) => {
        const chosen = choosePrunable(runs, asked, 1000);
        if (Object.keys(asked).length === 0) expect(chosen).toEqual([]);
        for (const one of chosen) {
          expect(one.pinned || one.state === "running" || one.state === "damaged").toBe(false);
          if (asked.olderThanMs !== undefined) expect(1000 - one.touchedAt).toBeGreaterThan(asked.olderThanMs);
          if (asked.unsealed) expect(one.state).toBe("cut off");
          if (asked.largerThan !== undefined) expect(one.stored).toBeGreaterThan(asked.largerThan);
        }
        if (asked.keep === undefined || chosen.length === 0) return;
        const left = runs.filter((one) => !chosen.includes(one)).reduce((sum, one) => sum + one.stored, 0);
        expect(left + (chosen.at(-1)?.stored ?? 0)).toBeGreaterThan(asked.keep);
      }),
    );
  });

  it("gives up the oldest until the others fit", () => {
    const at = (touchedAt: number, pinned = false) => ({ folder: `${touchedAt}`, state: "sealed" as const, pinned, touchedAt, stored: 10 });
    const chosen = choosePrunable([at(5), at(1, true), at(2), at(4), at(3)], { keep: 30 }, 1000);
    expect(chosen.map(({ folder }) => folder)).toEqual(["2", "3"]);
  });

  it("removes a trace with its payloads, leaves what else lies beside it, and refuses a pinned one and one that is written", async () => {
    const folder = sealed(["a".repeat(9000)]);
    const stored = storedBytes(folder);
    const record = put(join(folder, "record.json"));
    expect(storedBytes(folder)).toBe(stored);
    pinRun(folder, { pinned: true, now: 0 });
    expect(() => removeTrace(folder)).toThrow(/is pinned/);
    await verifyTrace(folder);
    pinRun(folder, { pinned: false, now: 0 });
    removeTrace(folder);
    expect(readdirSync(folder)).toEqual(["record.json"]);
    rmSync(record);
    const alone = sealed(["a"]);
    removeTrace(alone);
    expect(existsSync(alone)).toBe(false);
    const open = join(root, "written");
    const trace = recordTrace(open, { clock, micros: () => 0 });
    expect(() => removeTrace(open)).toThrow(/being written/);
    trace.close();
  });
});
