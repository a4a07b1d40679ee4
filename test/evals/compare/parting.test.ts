import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { compare } from "../../../evals/compare/compare.ts";
import { partingOf } from "../../../evals/compare/flips/parting.ts";
import { withPartings } from "../../../evals/compare/with-partings.ts";
import { middleware } from "../../../harness/contract/middleware.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";
import { comparisonMarkdown } from "../../../reports/markdown/comparison.ts";
import { runFixture, type FixtureOptions } from "../../../testing.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { job, suite, inFull, unwrapped } from "./scored-job.ts";

const root = mkdtempSync(join(tmpdir(), "forge-parting-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** Records a run; answers its folder. */
async function run(o: FixtureOptions, name = `run-${made++}`): Promise<string> {
  const folder = join(root, name);
  const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of (await runFixture(o)).events) trace.emit(event);
  trace.seal(null);
  return folder;
}
const whole = (): void => expect.unreachable();
const call = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const exec = (command: string): string => `ran ${command}`;
const nudge = middleware("nudge", "1", z.strictObject({}), () => ({
  async tool(given, next, own) {
    own.inject("Look again.", "to see it part");
    return next(given);
  },
})).create({});

describe("two runs of a task", () => {
  it("part at the first reply that differs, whatever their requests held before", async () => {
    const a = await run({ exec, script: [call("ls"), call("make"), { text: "done" }] });
    const b = await run({ exec, script: [call("ls"), call("make test"), { text: "done" }], middleware: [nudge] });
    expect(await partingOf(a, b, whole)).toEqual({
      turn: 2,
      a: { seq: expect.any(Number), says: 'bash {"command":"make"}', after: [] },
      b: { seq: expect.any(Number), says: 'bash {"command":"make test"}', after: ["nudge"] },
    });
    const parting = await partingOf(a, b, whole);
    const line = readFileSync(join(a, "trace.jsonl"), "utf8").split("\n")[parting?.a.seq ?? 0];
    expect(JSON.parse(line ?? "")).toMatchObject({ t: "model.response" });
  });

  it("part in compressed traces as in plain ones", async () => {
    const a = await run({ exec, script: [call("ls"), { text: "done" }] });
    const b = await run({ exec, script: [call("pwd"), { text: "done" }] });
    const plain = await partingOf(a, b, whole);
    await compressTrace(a);
    expect(existsSync(join(a, "trace.jsonl"))).toBe(false);
    expect(plain).toMatchObject({ turn: 1 });
    expect(await partingOf(a, b, whole)).toEqual(plain);
  });

  it("part where one of them ends", async () => {
    const a = await run({ exec, script: [{ text: "done" }] });
    const b = await run({ exec, script: [{ text: "done" }, call("ls"), { text: "really" }], middleware: [resumes()] });
    expect(await partingOf(a, b, whole)).toMatchObject({ turn: 2, a: { says: "ends" }, b: { says: 'bash {"command":"ls"}' } });
  });

  it("do not part where they say the same, or where a trace is missing", async () => {
    const [a, b] = [
      await run({ exec, script: [call("ls"), { text: "done" }] }),
      await run({ exec, script: [call("ls"), { text: "done" }] }),
    ];
    expect(await partingOf(a, b, whole)).toBeUndefined();
    expect(await partingOf(a, join(root, "nowhere"), whole)).toBeUndefined();
  });

  it("are linked from the comparison of their jobs, and a trace that is damaged or empty leaves the answer standing", async () => {
    await run({ exec, script: [call("rm"), { text: "done" }] }, "trials-a");
    await run({ exec, script: [call("ls"), { text: "done" }] }, "trials-b");
    const scores = { a: { ...suite(20, () => 1), t00: [0] }, b: suite(20, () => 1) };
    const made = job(scores, { folder: root });
    const jobs = [{ ...made, records: made.records.map((record) => ({ ...record, trace: `trials-${record.configuration}` })) }];
    const text = inFull(await withPartings(compare(jobs)));
    expect(text).toContain('fixed t00: part at turn 1: bash {"command":"rm"} | bash {"command":"ls"}');
    expect(text).toMatch(/\n {4}a .*trials-a:\d+\n {4}b .*trials-b:\d+$/);

    const lost = Buffer.byteLength('{"v":1,"seq":');
    appendFileSync(join(root, "trials-a", "trace.jsonl"), '{"v":1,"seq":');
    rmSync(join(root, "trials-a", "seal.json"));
    const cut = await withPartings(compare(jobs));
    const sentence = new RegExp(`trace of a: ${lost} bytes behind the whole events, from offset \\d+, are a torn line`);
    expect(inFull(cut)).toMatch(sentence);
    expect(comparisonMarkdown(cut)).toMatch(sentence);
    expect(cut.pairs[0]?.flips).toMatchObject([{ torn: { a: { bytes: lost }, b: null } }]);

    writeFileSync(join(root, "trials-a", "writer.json"), JSON.stringify(thisOwner()));
    const going = await withPartings(compare(jobs));
    for (const page of [inFull(going), comparisonMarkdown(going)]) {
      expect(unwrapped(page)).toContain("are a line that is still being written");
      expect(page).not.toContain("torn line");
    }
    rmSync(join(root, "trials-a", "writer.json"));

    const flips = async () => (await withPartings(compare(jobs))).pairs[0]?.flips;
    appendFileSync(join(root, "trials-a", "trace.jsonl"), '{"v":1}\n{"v":1}\n');
    expect(await flips()).toEqual([expect.objectContaining({ task: "t00", parting: null })]);
    writeFileSync(join(root, "trials-a", "trace.jsonl"), "");
    expect(await flips()).toEqual([expect.objectContaining({ task: "t00", parting: null })]);
    rmSync(join(root, "trials-a", "trace.jsonl"));
    mkdirSync(join(root, "trials-a", "trace.jsonl")); // what no user may read
    expect(await flips()).toEqual([expect.objectContaining({ task: "t00", parting: null })]);
  });
});

/** Goes on once after the model is done. */
function resumes() {
  return middleware("resumes", "1", z.strictObject({}), () => ({
    async finish(own) {
      return own.spent.turns < 2 ? { message: "Go on.", why: "once" } : undefined;
    },
  })).create({});
}
