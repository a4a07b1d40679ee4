import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { collectGarbage, compressRuns } from "../../../../cli/traces/keep/keep-traces.ts";
import { runFixture } from "../../../../testing.ts";
import { recordTrace } from "../../../../traces/record/record-trace.ts";
import { said } from "../../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-running-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const time = { clock: { now: () => 5, sleep: async () => undefined }, micros: () => 0, sync: false };

describe("a run that is still going", () => {
  it("is to be waited for by compress and gc; one that was cut off is to be recovered", async () => {
    const folder = join(root, "run");
    const recorder = recordTrace(folder, time);
    for (const event of (await runFixture({ script: [{ text: "done" }] })).events) recorder.emit(event);
    for (const act of [compressRuns, collectGarbage]) {
      const { lines, code } = await said(() => act([folder], { json: true }));
      expect(code).toBe(3);
      expect(lines[0]?.["text"]).toMatch(/^The run in .* is still going; .* when it has ended\.$/);
    }
    recorder.close();
    for (const act of [compressRuns, collectGarbage]) {
      const { lines, code } = await said(() => act([folder], { json: true }));
      expect(code).toBe(3);
      expect(lines[0]?.["text"]).toContain("forge traces recover");
    }
  });

  it("has one writer: a second one is told in whole sentences", () => {
    const folder = join(root, "two");
    const recorder = recordTrace(folder, time);
    expect(() => recordTrace(folder, time)).toThrow(/ and has ended\. Give the run a new folder/);
    recorder.close();
  });
});
