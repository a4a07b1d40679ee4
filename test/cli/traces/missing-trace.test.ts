import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bundleRuns } from "../../../cli/traces/share/bundle-runs.ts";
import { dryReplay } from "../../../cli/replay/dry-replay.ts";
import { exportRuns } from "../../../cli/traces/share/export-runs.ts";
import { collectGarbage, compressRuns, recoverRuns } from "../../../cli/traces/keep/keep-traces.ts";
import { listForks, listRuns } from "../../../cli/traces/list-runs.ts";
import { pruneRuns } from "../../../cli/traces/keep/prune-runs.ts";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { indexRuns, searchRuns } from "../../../cli/traces/search-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { traceStats } from "../../../cli/traces/trace-stats.ts";
import { ForgeError } from "../../../harness/errors.ts";
import { runFixture } from "../../../testing.ts";
import { there } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";
import { said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-missing-"));
const job = join(root, "job");
const gone = join(job, "trials", "gone", "1");
const config = join(root, "other.yaml");
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A job of two runs; of one the trace is gone, and its seal and what else lies there are not. */
beforeAll(async () => {
  writeFileSync(config, "limits:\n  turns: 50\n");
  const { events } = await runFixture({ script: [{ text: "done" }] });
  writeRun(join(job, "trials", "whole", "1"), events);
  cpSync(join(job, "trials", "whole", "1"), gone, { recursive: true });
  writeFileSync(join(gone, "record.json"), "{}\n");
  rmSync(join(gone, "trace.jsonl"));
});

const sentence =
  /The trace of the run in \S*gone\/1 is missing: it was sealed with \d+ events in \d+ bytes\. Restore \S*trace\.jsonl from a copy\./;
const readers: Readonly<Record<string, (folder: string) => Promise<number>>> = {
  replay: (folder) => replay([folder], {}),
  verify: (folder) => replay([folder], { verify: true }),
  list: (folder) => listRuns([folder], {}),
  tree: (folder) => listForks([folder], { all: true }),
  stats: (folder) => traceStats([folder], {}),
  dry: (folder) => dryReplay([folder], { config }),
  search: (folder) => searchRuns("done", [folder], {}),
  export: (folder) => exportRuns([folder], { format: "otlp", out: join(mkdtempSync(join(root, "out-")), "spans") }),
  bundle: (folder) => bundleRuns([folder], { out: join(mkdtempSync(join(root, "out-")), "shared.tgz") }),
  recover: (folder) => recoverRuns([folder], {}),
  gc: (folder) => collectGarbage([folder], {}),
  uncompress: (folder) => compressRuns([folder], { undo: true }),
  compress: (folder) => compressRuns([folder], {}),
};

/** What a command says and answers, thrown or written. */
async function answerOf(read: () => Promise<number>): Promise<{ code: number; out: string }> {
  let thrown = "";
  const { code, out } = await said(async () => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      thrown = error.message;
      return error.exitCode;
    }
  });
  return { code, out: out + thrown };
}

describe("a run whose trace is gone and whose seal is not", () => {
  it.each(Object.entries(readers))("is damaged for %s, among others and alone", async (_, read) => {
    const here = mkdtempSync(join(root, "here-"));
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(here);
    try {
      for (const folder of [job, gone]) {
        const { code, out } = await answerOf(() => read(folder));
        expect(out.replaceAll(/\s+/g, " ")).toMatch(sentence); // wrapped where it is long
        expect(code).toBe(4);
      }
    } finally {
      cwd.mockRestore();
    }
  });

  it("is damaged for one who shows it", async () => {
    await expect(showRun(gone, {})).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(sentence) as unknown });
  });

  it("is nothing to miss once prune has taken its trace with its seal", async () => {
    const folder = join(root, "pruned");
    const { events } = await runFixture({ script: [{ text: "done" }] });
    for (const name of ["a", "b"]) writeRun(join(folder, name), events);
    writeFileSync(join(folder, "a", "record.json"), "{}\n");
    expect((await said(() => pruneRuns([join(folder, "a")], { olderThan: -1e15 }))).code).toBe(0);
    expect(await answerOf(() => replay([folder], {}))).toMatchObject({
      code: 0,
      out: expect.stringContaining("exact") as unknown,
    });
  });
});

describe.each(there("sqlite"))("with an index that knew the run (%s)", () => {
  it("misses the trace as soon as it is gone", async () => {
    const here = join(root, "indexed");
    mkdirSync(join(here, ".forge"), { recursive: true });
    const { events } = await runFixture({ script: [{ text: "done" }] });
    const run = writeRun(join(here, "jobs", "gone", "1"), events);
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(here);
    try {
      expect((await said(() => indexRuns([join(here, "jobs")], {}))).code).toBe(0);
      rmSync(join(run, "trace.jsonl"));
      for (const read of [
        () => indexRuns([join(here, "jobs")], {}),
        () => listRuns([join(here, "jobs")], {}),
        () => searchRuns("done", [run], {}),
      ]) {
        const { code, out } = await answerOf(read);
        expect(out).toMatch(sentence);
        expect(code).toBe(4);
      }
    } finally {
      cwd.mockRestore();
    }
  });
});
