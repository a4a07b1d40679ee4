import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { thisOwner } from "../../harness/sandbox/owner.ts";
import { runFixture } from "../../testing.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";
import { recoverTrace } from "../../traces/record/recover-trace.ts";
import { replayTrace } from "../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../traces/replay/verify-trace.ts";

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
