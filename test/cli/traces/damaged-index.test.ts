import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listForks, listRuns } from "../../../cli/traces/list-runs.ts";
import { indexRuns, searchRuns } from "../../../cli/traces/search-runs.ts";
import { runFixture } from "../../../testing.ts";
import { there } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";
import { said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-index-"));
const before = process.cwd();
const runs = 60;
beforeAll(async () => {
  for (let n = 0; n < runs; n++) {
    const { events } = await runFixture({
      script: [{ calls: [{ name: "bash", args: {} }] }, { text: `done ${n}` }],
      exec: () => `x${n} `.repeat(400),
    });
    writeRun(join(root, "jobs", `run-${n}`), events, 1_767_225_600_000 + n);
  }
  mkdirSync(join(root, ".forge"));
  process.chdir(root); // where the index lies
});
afterAll(() => {
  process.chdir(before);
  rmSync(root, { recursive: true, force: true });
});

const index = join(root, ".forge", "index.db");
const pageBytes = 4096;

/** Other bytes in the pages from `first` on, the same each time; the header of the file stays. */
function spoil(first: number, pages = Number.POSITIVE_INFINITY): void {
  const file = openSync(index, "r+");
  try {
    const end = Math.min(statSync(index).size / pageBytes, first + pages);
    for (let page = first; page < end; page++)
      for (let at = 0; at < pageBytes; at += 32)
        writeSync(file, createHash("sha256").update(`${page} ${at}`).digest(), 0, 32, page * pageBytes + at);
  } finally {
    closeSync(file);
  }
}

const commands: Readonly<Record<string, () => Promise<number>>> = {
  list: () => listRuns(["jobs"], { json: true }),
  tree: () => listForks(["jobs"], { all: true, json: true }),
  search: () => searchRuns("done", ["jobs"], { json: true }),
  index: () => indexRuns(["jobs"], {}),
};

describe.each(there("sqlite"))("an index with damaged pages (%s)", () => {
  it.each(Object.entries(commands))("is made anew by %s, which answers what it would without one", async (name, use) => {
    rmSync(index, { force: true });
    const without = name === "index" ? undefined : await said(use);
    for (const [first, pages] of [[1, 3], [2], [4, 1], [10], [20, 8], [25]] as const) {
      rmSync(index, { force: true });
      expect((await said(() => indexRuns(["jobs"], {}))).code).toBe(0);
      expect(statSync(index).size).toBeGreaterThan(30 * pageBytes);
      spoil(first, pages);
      const { code, out, lines } = await said(use);
      expect([code, out]).toEqual([0, expect.not.stringContaining("malformed")]);
      if (without) expect(lines).toEqual(without.lines);
      expect((await said(use)).code).toBe(0);
      expect(existsSync(index)).toBe(true);
    }
    expect((await said(() => searchRuns("done", ["jobs"], { json: true }))).lines.at(-1)).toMatchObject({ runs });
  });
});
