import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { listRuns } from "../../../cli/traces/list-runs.ts";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { indexRuns } from "../../../cli/traces/search-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { traceStats } from "../../../cli/traces/trace-stats.ts";
import { runFixture } from "../../../testing.ts";
import { needs } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";
import { joined, said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-unreadable-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("a run whose first event refers to a payload that is not there", () => {
  it("is not called damaged by any reader: each answers 3 and names the payload", async () => {
    const { events } = await runFixture({ script: [{ text: "done" }], task: "x".repeat(6000) });
    const folder = writeRun(join(root, "without"), events);
    for (const name of readdirSync(join(folder, "blobs"))) rmSync(join(folder, "blobs", name), { recursive: true });
    for (const read of [
      () => listRuns([folder], {}),
      () => replay([folder], {}),
      () => replay([folder], { verify: true }),
      () => traceStats([folder], {}),
    ]) {
      const { code, out } = await said(read);
      expect(code).toBe(3);
      expect(joined(out)).toMatch(/The blob [0-9a-f]{64} is missing in/);
      expect(out).not.toContain("damaged");
    }
    await expect(showRun(folder, {})).rejects.toMatchObject({ exitCode: 3 });
    expect((await said(() => listRuns([folder], { json: true }))).lines).toMatchObject([{ state: "unreadable" }]);
  });
});

describe.skipIf(needs("sqlite"))("an index where the disk gives no place for it", () => {
  it("is refused with what the disk says, and nothing is advised that would not help", async () => {
    const { events } = await runFixture({ script: [{ text: "done" }] });
    const here = join(root, "here");
    mkdirSync(here);
    writeFileSync(join(here, ".forge"), "no folder");
    const folder = writeRun(join(here, "run"), events);
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(here);
    try {
      await expect(indexRuns([folder], {})).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(/index\.db cannot be used: E(EXIST|NOTDIR)(?!.*npm install).*Make the folder writable/) as unknown,
      });
    } finally {
      cwd.mockRestore();
    }
  });
});
