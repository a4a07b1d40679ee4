import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";

const lintRules = ["no-restricted-imports", "no-restricted-globals", "no-restricted-properties", "no-console"];
const root = mkdtempSync(join(tmpdir(), "forge-purity-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The files that are loaded together with these, types aside. */
function loadedWith(start: string[]): string[] {
  const seen = new Set(start);
  for (const path of seen) {
    const text = readFileSync(path, "utf8");
    for (const [, clause = "", specifier = ""] of text.matchAll(/^(?:import|export)\b([^;]*?)from\s*"(\.[^"]+)"/gm)) {
      if (!/^\s*type\b/.test(clause)) seen.add(posix.join(posix.dirname(path), specifier));
    }
  }
  return [...seen];
}

it("loop, contract and middleware reach nothing ambient through what they import either", () => {
  const pure = execFileSync("git", ["ls-files", "harness/agent/*.ts", "harness/contract/*.ts", "middleware/*.ts"], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
  const reached = loadedWith(pure).filter((path) => !pure.includes(path));
  mkdirSync(join(root, "harness"));
  for (const path of reached) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  // Our own configuration file, whose shape the schema in its first line checks.
  const config = JSON.parse(readFileSync(".oxlintrc.json", "utf8")) as { overrides: { files: string[]; rules: object }[] };
  const ambient = config.overrides.find((override) => override.files.includes("harness/agent/**"));
  expect(ambient).toBeDefined();
  writeFileSync(
    join(root, ".oxlintrc.json"),
    JSON.stringify({ categories: { correctness: "off" }, overrides: [{ ...ambient, files: ["**"] }] }),
  );
  // A file that must be found, so that silence means purity and not a linter that looked at nothing.
  writeFileSync(join(root, "harness", "control.ts"), "export const at = Date.now();\n");
  const { stdout } = spawnSync(resolve("node_modules/.bin/oxlint"), ["--format", "unix", "harness"], { cwd: root, encoding: "utf8" });
  const found = stdout.split("\n").filter((line) => lintRules.some((rule) => line.includes(rule)));
  expect(found).toEqual([expect.stringContaining("harness/control.ts")]);
});
