import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { createReplayedRuns } from "../../../reports/terminal/replayed-runs.ts";
import { runFixture } from "../../../testing.ts";
import { writeRun } from "../../traces/write-run.ts";
import { said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-replayed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const damaged = ["b", "c", "d", "e"];

/** One whole run, and four whose traces were changed. */
beforeAll(async () => {
  const { events } = await runFixture({ script: [{ text: "done" }] });
  const whole = writeRun(join(root, "job/a"), events);
  for (const name of damaged) {
    const run = join(root, "job", name);
    cpSync(whole, run, { recursive: true });
    writeFileSync(join(run, "trace.jsonl"), readFileSync(join(run, "trace.jsonl"), "utf8").replace('"ts":', '"ts":1'));
  }
});

it("forge replay says first how many runs came to which end, then the first three that are not exact", async () => {
  const { code, out } = await said(() => replay([join(root, "job")], {}));
  const lines = out.trimEnd().split("\n");
  expect([code, lines[0]]).toEqual([4, "5 runs: 1 exact, 4 damaged"]);
  expect(lines.filter((line) => line.startsWith("✗"))).toHaveLength(3);
  expect(lines.filter((line) => line.startsWith("✓"))).toEqual([]);
  expect(lines.at(-1)).toBe("… 1 more: --all");
});

it("and with --all each run, with --json each as an object and the counts last", async () => {
  const { out } = await said(() => replay([join(root, "job")], { all: true }));
  expect(out.split("\n").filter((line) => /^[✓✗] /.test(line))).toHaveLength(5);
  expect(out).not.toContain("--all");
  const { lines } = await said(() => replay([join(root, "job")], { json: true }));
  expect(lines.map(({ type }) => type)).toEqual([...Array.from({ length: 5 }, () => "run"), "summary"]);
  expect(lines.at(-1)).toMatchObject({ runs: 5, exact: 1, damaged: 4 });
});

it("of one run the answer is the run", async () => {
  expect((await said(() => replay([join(root, "job/a")], {}))).out).toMatch(/^✓ \S+job\/a: exact\s+(\d+)\/\1\n$/);
});

it("and of a difference that is too long among others its changed lines alone", () => {
  const around = Array.from({ length: 9 }, (_, i) => `   "key ${i}": "the same",`);
  const diff = ["=".repeat(20), "--- recorded", "+++ replayed", "@@ -3,5 +3,5 @@", ...around, '-  "text": "then"', '+  "text": "now"'];
  const runs = createReplayedRuns({ all: false, current: false });
  for (const run of ["a", "b"])
    runs.add({ run, verdict: "diverged", exitCode: 1, events: 1, text: ["diverged", "it differs.", ...diff].join("\n") });
  const [first = ""] = runs.describe().split("✗ b");
  expect(first.split("\n").slice(-5)).toEqual([
    "    it differs.",
    '    -  "text": "then"',
    '    +  "text": "now"',
    "    … 13 lines more: --all",
    "",
  ]);
});
