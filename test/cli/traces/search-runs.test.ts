import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFixture } from "../../../testing.ts";
import { needs, there } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-search-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../../dist/cli/main.js");
const script = [{ text: "I look.", calls: [{ name: "bash", args: { command: "cat haystack.txt" } }] }, { text: "found the needle" }];

/** A loader that knows no better-sqlite3, as where it could not be compiled. */
const hooks =
  'export const resolve = (name, context, next) => { if (name === "better-sqlite3") throw new Error("Cannot find it"); return next(name, context); };';
const without = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;

describe.skipIf(needs("build"))("forge traces search", () => {
  beforeAll(async () => {
    const { events } = await runFixture({ script, exec: () => "hay\na needle\nhay", task: "Find it." });
    writeRun(join(root, "runs", "old"), events, 1_700_000_000_000);
    writeRun(join(root, "runs", "new"), events, 1_800_000_000_000);
  });
  const search = async (indexed: boolean, ...args: string[]) => {
    const node = indexed ? [] : ["--import", `data:text/javascript,${encodeURIComponent(without)}`];
    return execa(process.execPath, [...node, main, "traces", "search", ...args], { cwd: root, reject: false });
  };

  it.each([...there("sqlite"), "no index"])("finds events in all runs, the newest first, with what stands there (%s)", async (how) => {
    const indexed = how !== "no index";
    const { exitCode, stdout, stderr } = await search(indexed, "needle", "runs", "--json");
    const lines = stdout.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([exitCode, lines.at(-1)]).toEqual([0, { type: "summary", events: 6, runs: 2, shown: 6, damaged: 0 }]);
    expect(lines.slice(0, 3).map(({ run, event, turn }) => [run, event, turn])).toEqual([
      [join(root, "runs", "new"), "run.end", 2],
      [join(root, "runs", "new"), "model.response", 2],
      [join(root, "runs", "new"), "tool.result", 1],
    ]);
    expect(lines[2]).toMatchObject({ excerpt: "a needle" });
    expect(stderr.includes("Every trace is read, which takes longer.")).toBe(!indexed);
    expect((await search(indexed, "nowhere", "runs")).exitCode).toBe(1);
    expect((await search(indexed, "...", "runs")).exitCode).toBe(2);
  });
});
