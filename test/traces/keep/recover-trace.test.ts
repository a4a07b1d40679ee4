import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { thisOwner } from "../../../harness/sandbox/owner.ts";
import { runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { recoverTrace } from "../../../traces/keep/recover-trace.ts";
import { replayTrace } from "../../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-recover-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const options = { clock: { now: () => 5, sleep: async () => undefined }, micros: () => 0, sync: false };

/** What a process that was ended leaves: whole lines, then `tail`. */
function left(texts: readonly string[], tail = ""): string {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, options);
  texts.forEach((text, n) => trace.emit({ t: "note", lane: "main", n, cause: [], d: { text } }));
  trace.close();
  if (tail !== "") writeFileSync(join(folder, "trace.jsonl"), tail, { flag: "a" });
  return folder;
}

describe("recovering a trace", () => {
  it("cut at any byte keeps every whole event, sets the rest aside byte by byte, says so, and seals", async () => {
    const whole = readFileSync(join(left(["a", "b".repeat(300), "c"]), "trace.jsonl"));
    const firstEnd = whole.indexOf(0x0a) + 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: firstEnd, max: whole.length }), async (cut) => {
        const folder = left([]);
        writeFileSync(join(folder, "trace.jsonl"), whole.subarray(0, cut));
        const kept = whole.subarray(0, cut).lastIndexOf(0x0a) + 1;
        const events = whole.subarray(0, kept).filter((byte) => byte === 0x0a).length;
        const done = await recoverTrace(folder, options);
        expect(done).toMatchObject({ events, torn: cut - kept });
        const after = readFileSync(join(folder, "trace.jsonl"));
        expect(after.subarray(0, kept).equals(whole.subarray(0, kept))).toBe(true);
        if (cut > kept) expect(readFileSync(join(folder, done?.aside ?? "")).equals(whole.subarray(kept, cut))).toBe(true);
        expect(await verifyTrace(folder)).toMatchObject({ events: events + 1, sealed: true, torn: null });
        const { events: read } = await loadTrace(folder);
        expect(read.at(-1)).toMatchObject({ t: "recovered", lane: "trial", d: { bytes: cut - kept, offset: kept } });
        expect(await recoverTrace(folder, options)).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  it("leaves a run that replays as far as it went", async () => {
    const { events } = await runFixture({
      script: [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "end" }],
      exec: () => "x",
    });
    const folder = join(root, `run-${made++}`);
    const trace = recordTrace(folder, options);
    for (const event of events.slice(0, -2)) trace.emit(event);
    trace.evidence("note", { text: "before it was ended" });
    trace.close();
    await recoverTrace(folder, options);
    const verdict = await replayTrace(await loadTrace(folder), { assemble: async () => [] });
    expect(verdict).toMatchObject({ exact: true, cutOff: true, equal: events.length - 2 });
  });

  it("is refused while another process writes, and not when that one has ended", async () => {
    const folder = left(["a"]);
    writeFileSync(join(folder, "writer.json"), JSON.stringify(thisOwner()));
    await expect(recoverTrace(folder, options)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/is being written by process \d+; wait for it to end/),
    });
    expect(() => recordTrace(folder, options)).toThrow(/is being written by process/);
    const { place } = thisOwner();
    writeFileSync(join(folder, "writer.json"), JSON.stringify({ process: "4194303-1", place }));
    expect(await recoverTrace(folder, options)).toMatchObject({ events: 1, torn: 0 });
    expect(existsSync(join(folder, "writer.json"))).toBe(false);
  });

  it("by two at once is done by one", async () => {
    const folder = left(["a"], '{"v":1');
    const both = await Promise.allSettled([recoverTrace(folder, options), recoverTrace(folder, options)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await verifyTrace(folder)).toMatchObject({ events: 2, sealed: true });
  });

  it("touches nothing where the damage is not at the end, or nothing was recorded", async () => {
    const folder = left(["a", "b"]);
    const path = join(folder, "trace.jsonl");
    const changed = readFileSync(path, "utf8").replace('"text":"a"', '"text":"A"');
    writeFileSync(path, changed);
    await expect(recoverTrace(folder, options)).rejects.toMatchObject({ exitCode: 4 });
    expect(readFileSync(path, "utf8")).toBe(changed);
    await expect(recoverTrace(left([], '{"v'), options)).rejects.toMatchObject({ exitCode: 3 });
    expect(existsSync(join(folder, "seal.json"))).toBe(false);
  });
});

describe("a recovery that was ended itself", () => {
  /** What it leaves behind, by where it was ended. */
  const tail = '{"v":1,"seq":1,"t":"no';
  const half = '{"v":1,"seq":1,"t":"recov';
  const torn = (folder: string): string => join(folder, `torn-${readFileSync(join(folder, "trace.jsonl")).lastIndexOf(0x0a) + 1}`);

  it.each([
    ["before the new file had its name", tail, (path: string) => writeFileSync(`${path}.part`, tail.slice(0, 5)), tail],
    ["before the trace was cut", tail, (path: string) => writeFileSync(path, tail), tail],
    ["after it", "", (path: string) => writeFileSync(path, tail), tail],
    ["while it wrote its own event", half, (path: string) => writeFileSync(path, tail), tail + half],
    ["there once more, before the trace was cut", half, (path: string) => writeFileSync(path, tail + half), tail + half],
  ])("%s is done again, and no torn byte is lost or goes unmentioned", async (_, rest, leave, kept) => {
    const folder = left(["a"], rest);
    const path = torn(folder);
    leave(path);
    const offset = Number(path.split("-").at(-1));
    const done = await recoverTrace(folder, options);
    expect(done).toEqual({ events: 1, torn: kept.length, aside: `torn-${offset}` });
    expect(readFileSync(path, "utf8")).toBe(kept);
    expect(existsSync(`${path}.part`)).toBe(false);
    expect((await loadTrace(folder)).events.at(-1)).toMatchObject({
      t: "recovered",
      d: { bytes: kept.length, offset, aside: `torn-${offset}` },
    });
    expect(await verifyTrace(folder)).toMatchObject({ events: 2, sealed: true, torn: null });
  });

  it("before its seal was there is not done twice: the seal follows, and what it said is said again", async () => {
    const folder = left(["a"], tail);
    const first = await recoverTrace(folder, options);
    const recovered = readFileSync(join(folder, "trace.jsonl"));
    rmSync(join(folder, "seal.json"));
    expect(await recoverTrace(folder, options)).toEqual(first);
    expect(readFileSync(join(folder, "trace.jsonl")).equals(recovered)).toBe(true);
    expect(await verifyTrace(folder)).toMatchObject({ events: 2, sealed: true });
  });

  it("is refused where what was torn cannot be set aside, and the trace stays as it was", async () => {
    const folder = left(["a"], tail);
    const before = readFileSync(join(folder, "trace.jsonl"));
    mkdirSync(torn(folder));
    await expect(recoverTrace(folder, options)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("is no file") as unknown,
    });
    expect(readFileSync(join(folder, "trace.jsonl")).equals(before)).toBe(true);
  });
});
