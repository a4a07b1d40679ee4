import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFixture } from "../../../testing.ts";
import { needs, there } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-opened-bundle-"));
/** Where commands unpack to: no other process does. */
const unpacked = mkdtempSync(join(root, "unpacked-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../../dist/cli/main.js");
const forge = (...args: string[]) => execa(process.execPath, [main, ...args], { cwd: root, reject: false, env: { TMPDIR: unpacked } });
const canIndex = there("sqlite").length > 0;

describe.skipIf(needs("build"))("a bundle in place of a folder", () => {
  beforeAll(async () => {
    const { events } = await runFixture({ script: [{ text: "a needle" }] });
    for (const name of ["one", "two"]) writeRun(join(root, "runs", name), events);
    const { exitCode, stderr } = await forge("traces", "bundle", "runs", "--out", "shared.tgz");
    if (exitCode !== 0) throw new Error(stderr);
  });

  it("is exported into the folder that was named, each run by its place in the bundle", async () => {
    const { exitCode, stdout } = await forge("traces", "export", "shared.tgz", "--format", "markdown", "--out", "pages");
    expect([exitCode, stdout.split("\n").at(-1)]).toEqual([0, "2 of 2 runs written"]);
    expect(readdirSync(join(root, "pages"), { recursive: true }).filter((name) => String(name).endsWith(".md"))).toHaveLength(2);
  });

  it("is listed, searched and bundled again with or without an index, which keeps nothing of it", async () => {
    for (const indexed of canIndex ? [false, true] : [false]) {
      if (indexed) expect((await forge("traces", "index", "runs")).exitCode).toBe(0);
      expect(existsSync(join(root, ".forge", "index.db"))).toBe(indexed);
      expect((await forge("traces", "list", "shared.tgz", "--json")).stdout.split("\n")).toHaveLength(2);
      const found = await forge("traces", "search", "needle", "shared.tgz", "--json");
      expect([found.exitCode, JSON.parse(found.stdout.split("\n").at(-1) ?? "")]).toEqual([0, expect.objectContaining({ runs: 2 })]);
    }
    expect((await forge("traces", "bundle", "shared.tgz", "--out", "again.tgz")).exitCode).toBe(0);
    const again = await forge("replay", "again.tgz");
    expect([again.exitCode, again.stdout.split("\n").at(-1)]).toEqual([0, "2 runs: 2 exact"]);
  });

  it("is unpacked anew for each command, and nothing of that is left", async () => {
    const opened = (): string[] => readdirSync(unpacked);
    const before = opened();
    writeFileSync(join(root, "mine.yaml"), "extends: bare\n");
    const watching = forge("replay", "dry", "--watch", "--config", "mine.yaml", "shared.tgz");
    await expect.poll(() => opened().length).toBeGreaterThan(before.length);
    watching.kill("SIGTERM");
    await watching;
    await forge("traces", "list", "shared.tgz");
    await expect.poll(() => opened().filter((name) => !before.includes(name))).toEqual([]);
  });
});
