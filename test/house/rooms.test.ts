import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { circles, crowdedFolders, filesIn, importsOf, upwardImports, type SourceTree } from "./source-tree.ts";

const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx", "*.mjs"], { encoding: "utf8" });
/** The repository's own sources; suites and fixtures are other people's. */
const house: SourceTree = new Map(
  listed
    .split("\n")
    .filter(
      (path) => path !== "" && !/^(tasks\/suites|test\/fixtures)\//.test(path) && !/^[^/]*\.config\.ts$/.test(path) && existsSync(path),
    )
    .map((path) => [path, readFileSync(path, "utf8")]),
);

const tree = (files: Readonly<Record<string, string>>): SourceTree => new Map(Object.entries(files));

describe("the rooms of the house", () => {
  it("are all seen", () => {
    expect(filesIn(house, "harness").length).toBeGreaterThan(200);
    expect(importsOf(house).get("cli/main.ts")?.length).toBeGreaterThan(0);
  });

  it("take nothing from a higher floor, nor from another room of their own", () => {
    expect(upwardImports(house)).toEqual([]);
  });

  it("have no two files that reach each other, by types and import() neither", () => {
    expect(circles(house)).toEqual([]);
  });

  it("choose and wire the parts in twelve files at most", () => {
    expect(filesIn(house, "assembly").length).toBeLessThanOrEqual(12);
  });

  it("hold at most 18 files each, but for the families of generated tasks", () => {
    expect(crowdedFolders(house, 18).filter((folder) => !folder.startsWith("tasks/generated/families:"))).toEqual([]);
  });
});

describe("the measures of the rooms", () => {
  it.each([
    ["a value", 'import { b } from "../evals/b.ts";'],
    ["a value of several lines", 'import {\n  b,\n} from "../evals/b.ts";'],
    ["a type", 'import type { B } from "../evals/b.ts";'],
    ["an import()", 'export const later = () => import("../evals/b.ts");'],
    ["a compiled file named by its address", 'export const worker = new URL("../evals/b.js", import.meta.url);'],
    ["something that is passed on", 'export { b } from "../evals/b.ts";'],
    ["a file for what it does", 'import "../evals/b.ts";'],
  ])("see that %s comes from a higher floor", (_, text) => {
    const house = tree({ "traces/a.ts": text, "evals/b.ts": 'import { c } from "../traces/c.ts";', "traces/c.ts": "" });
    expect(upwardImports(house)).toEqual(["traces/a.ts → evals/b.ts"]);
  });

  it("see an import from another room of the same floor, and a room that has none", () => {
    const house = tree({ "traces/a.ts": 'import { b } from "../tasks/b.ts";', "tasks/b.ts": "", "attic/c.ts": "" });
    expect(upwardImports(house)).toEqual(["attic: has no floor", "traces/a.ts → tasks/b.ts"]);
    expect(upwardImports(tree({ "index.ts": 'export * from "./scripts/a.ts";', "scripts/a.ts": "" }))).toHaveLength(1);
    expect(upwardImports(tree({ "test/a.ts": 'import "../cli/b.ts";', "cli/b.ts": "" }))).toEqual([]);
  });

  it("see a circle through a type and an import(), and each of several", () => {
    const two = { "evals/a.ts": 'import type { B } from "./b.ts";', "evals/b.ts": 'export const later = () => import("./a.ts");' };
    const three = {
      "cli/a.ts": 'import "./b.ts";',
      "cli/b.ts": 'export * from "./d/c.ts";',
      "cli/d/c.ts": 'import "../a.ts";\nimport "../../evals/a.ts";',
    };
    const around = { "cli/main.ts": 'import "./a.ts";\nimport "../evals/a.ts";', "harness/end.ts": "" };
    expect(circles(tree({ ...around, ...two, ...three }))).toEqual(["evals/a.ts · evals/b.ts", "cli/a.ts · cli/b.ts · cli/d/c.ts"]);
    expect(circles(tree({ ...around, "cli/a.ts": "", "evals/a.ts": 'import "../harness/end.ts";' }))).toEqual([]);
  });

  it("count a folder's own files, not those below it", () => {
    const house = tree({ "cli/a.ts": "", "cli/b.ts": "", "cli/run/c.ts": "", "cli/run/d.tsx": "", "cli/run/e.mjs": "" });
    expect(crowdedFolders(house, 2)).toEqual(["cli/run: 3"]);
    expect(filesIn(house, "cli")).toHaveLength(5);
  });
});
