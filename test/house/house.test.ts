import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { baseImage } from "../../harness/sandbox/docker/image/base-image.ts";
import { baseImage as probedImage } from "../../scripts/setup/missing.mjs";

const tracked = (path: string): string[] =>
  execFileSync("git", ["ls-files", path], { encoding: "utf8" })
    .split("\n")
    .filter((file) => existsSync(file) && statSync(file).isFile());

/** npm's report on the package; only the paths and the size are read. */
const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" })) as [
  { size: number; files: { path: string }[] },
];
const packedPaths = packed.files.map((file) => file.path);

describe("the house", () => {
  it("asks for the same base image in its scripts as in the product", () => {
    expect(probedImage).toBe(baseImage);
  });

  it("keeps package-lock.json free of any registry's address, so that it installs from whichever registry is configured", () => {
    expect(readFileSync("package-lock.json", "utf8")).not.toMatch(/"resolved":/);
  });

  it("locks every platform's variant of a package, without which npm ci refuses to install on any machine", () => {
    // npm's own file; packages are keyed by where they lie.
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, { optionalDependencies?: object }> };
    const locked = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, "")));
    const wanted = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
  });

  it("packs every file of the built-in suites, whatever ignore files lie in them", () => {
    const there = new Set(packedPaths);
    expect(tracked("tasks/suites").filter((path) => !there.has(path))).toEqual([]);
  });

  it("packs the demo's runs and no page or archive of measurements, in 2 MB at most", () => {
    expect(packedPaths).toContain("cli/demo/recorded.tar.gz");
    expect(packedPaths.filter((path) => /^docs\/(?:lab|results)\/|\.png$/.test(path))).toEqual([]);
    expect(packed.size).toBeLessThanOrEqual(2_000_000);
  });

  it("points to files that exist in the map of CONTRIBUTING.md", () => {
    const named = [
      ...readFileSync("CONTRIBUTING.md", "utf8").matchAll(
        /`((?:harness|middleware|tasks|traces|evals|reports|cli|test|scripts)\/[^`<]+)`/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(5);
    expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(path))).toEqual([]);
  });

  it("draws no room in the tree of CONTRIBUTING.md that is not there", () => {
    const [, tree = ""] = /## The tree[^]*?```\n([^]*?)```/.exec(readFileSync("CONTRIBUTING.md", "utf8")) ?? [];
    const rooms = [...tree.matchAll(/(?<![\w/<`-])([a-z][a-z-]*)\//g)].map(([, name = ""]) => name);
    const there = new Set(tracked(".").flatMap((path) => path.split("/").slice(0, -1)));
    expect(rooms.length).toBeGreaterThan(50);
    expect(rooms.filter((name) => !there.has(name))).toEqual([]);
  });
});
