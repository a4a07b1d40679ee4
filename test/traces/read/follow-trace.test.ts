import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { followTrace, type FollowedEnd } from "../../../traces/read/follow-trace.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-follow-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const clock = { now: () => 0, sleep: async () => undefined };
const note = (n: number, text = `${n}`) => ({ t: "note" as const, lane: "main", n, cause: [], d: { text } });
const never = new AbortController().signal;

async function all(
  folder: string,
  o: { signal?: AbortSignal; seen?: (seq: number) => void } = {},
): Promise<{ seqs: number[]; end: FollowedEnd }> {
  const seqs: number[] = [];
  const lines = followTrace(folder, { signal: o.signal ?? never });
  for (let step = await lines.next(); ; step = await lines.next()) {
    if (step.done) return { seqs, end: step.value };
    seqs.push(step.value.event.seq);
    o.seen?.(step.value.event.seq);
  }
}

describe("following a trace", () => {
  it("gives each event once, those before and those that come, and ends when it is sealed", async () => {
    const folder = join(root, "sealed");
    const trace = recordTrace(folder, { clock, micros: () => 0, sync: false });
    trace.emit(note(0));
    trace.emit(note(1, "x".repeat(900_000)));
    const followed = all(folder, {
      seen: (seq) => {
        if (seq < 1 || seq > 4) return;
        trace.emit(note(seq + 1));
        if (seq === 4) trace.seal(null);
      },
    });
    expect(await followed).toEqual({ seqs: [0, 1, 2, 3, 4, 5], end: { state: "sealed", torn: null } });
    await compressTrace(folder);
    expect(await all(folder)).toEqual({ seqs: [0, 1, 2, 3, 4, 5], end: { state: "sealed", torn: null } });
  });

  it("waits for the rest of a half-written line, and ends where nobody writes any more", async () => {
    const folder = join(root, "cut");
    const trace = recordTrace(folder, { clock, micros: () => 0, sync: false });
    trace.emit(note(0));
    trace.emit(note(1));
    const path = join(folder, "trace.jsonl");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, -20));
    const followed = all(folder);
    await wait(300);
    appendFileSync(path, text.slice(-20));
    await wait(50);
    trace.close();
    expect(await followed).toEqual({ seqs: [0, 1], end: { state: "cut off", torn: null } });
  });

  it("stops when it is told to, and at damage", async () => {
    const folder = join(root, "stopped");
    const trace = recordTrace(folder, { clock, micros: () => 0, sync: false });
    trace.emit(note(0));
    const stop = new AbortController();
    const followed = all(folder, { signal: stop.signal, seen: () => setTimeout(() => stop.abort(new Error("enough")), 20) });
    await expect(followed).rejects.toThrow("enough");
    trace.emit(note(1));
    const path = join(folder, "trace.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace('"text":"0"', '"text":"9"'));
    await expect(all(folder)).rejects.toMatchObject({ name: "DamagedError" });
    trace.close();
  });
});
