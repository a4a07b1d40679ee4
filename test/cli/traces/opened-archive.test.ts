import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { needs } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-opened-archive-"));
/** Where commands unpack to: no other process does. */
const unpacked = mkdtempSync(join(root, "unpacked-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const project = join(import.meta.dirname, "../../..");
const demo = join(project, "cli/demo/recorded.tar.gz");
const forge = (...args: string[]) =>
  execa(process.execPath, [join(project, "dist/cli/main.js"), ...args], { cwd: root, reject: false, env: { TMPDIR: unpacked } });

describe.skipIf(needs("build"))("an archive of a job in place of a folder", () => {
  it("is listed, and each run is shown and replayed by the name that the list gives it", async () => {
    const listed = await forge("traces", "list", demo, "--json", "-n", "1");
    const { folder } = JSON.parse(listed.stdout) as { folder: string };
    expect(folder.startsWith(`${demo}#trials/`)).toBe(true);
    const shown = await forge("traces", "show", folder);
    expect([shown.exitCode, shown.stdout.startsWith(folder)]).toEqual([0, true]);
    const replayed = await forge("replay", folder);
    expect([replayed.exitCode, replayed.stdout]).toEqual([0, expect.stringContaining("exact")]);
    expect([readdirSync(root), readdirSync(unpacked)]).toEqual([[basename(unpacked)], []]);
  });

  it("has no run of another name", async () => {
    const { exitCode, stderr } = await forge("traces", "show", `${demo}#trials/none`);
    expect([exitCode, stderr]).toEqual([3, `error: ${demo} has no run trials/none; forge traces list ${demo} lists those that it has.`]);
  });

  it("is refused where its files are not as it was made", async () => {
    const bytes = gunzipSync(readFileSync(demo));
    const at = bytes.lastIndexOf("/trace.jsonl") + 512;
    writeFileSync(
      join(root, "changed.tar.gz"),
      gzipSync(Buffer.concat([bytes.subarray(0, at + 600), Buffer.from("X"), bytes.subarray(at + 601)])),
    );
    const { exitCode, stderr } = await forge("traces", "list", "changed.tar.gz");
    expect([exitCode, stderr]).toEqual([
      4,
      expect.stringMatching(/^error: changed\.tar\.gz: 1 of its files are not as the archive was made, such as trials\/.*\.$/),
    ]);
    expect(readdirSync(unpacked)).toEqual([]);
  });
});
