import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportJob } from "../../../evals/archive/export-job.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../evals/bench-fixture.ts";
import { built } from "../../e2e/forge.ts";

const root = mkdtempSync(join(tmpdir(), "forge-opened-archive-"));
/** Where commands unpack to: no other process does. */
const unpacked = mkdtempSync(join(root, "unpacked-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterAll(removeScratch);
const main = join(import.meta.dirname, "../../../dist/cli/main.js");
/** A process of its own: at its end goes what it unpacked. */
const forge = (...args: string[]) => execa(process.execPath, [main, ...args], { cwd: root, reject: false, env: { TMPDIR: unpacked } });

describe("an archive of a job in place of a folder", () => {
  let archive = "";
  beforeAll(built);
  beforeAll(async () => {
    const { folder } = await bench(await fixtureRequest([await fixtureTask()], { mode: "official" }), await benchPorts());
    archive = join(folder, "../recorded.tar.gz");
    await exportJob({ job: folder, out: archive, forgeVersion: "0.1.0" }, { signal: new AbortController().signal });
  });

  it("is listed, and each run is shown and replayed by the name that the list gives it", async () => {
    const listed = await forge("traces", "list", archive, "--json", "-n", "1");
    const { folder } = JSON.parse(listed.stdout) as { folder: string };
    expect(folder.startsWith(`${archive}#trials/`)).toBe(true);
    const shown = await forge("traces", "show", folder);
    expect([shown.exitCode, shown.stdout.startsWith(folder)]).toEqual([0, true]);
    const replayed = await forge("replay", folder);
    expect([replayed.exitCode, replayed.stdout]).toEqual([0, expect.stringContaining("exact")]);
    expect([readdirSync(root), readdirSync(unpacked)]).toEqual([[basename(unpacked)], []]);
  });

  it("has no run of another name", async () => {
    const { exitCode, stderr } = await forge("traces", "show", `${archive}#trials/none`);
    expect([exitCode, stderr]).toEqual([
      3,
      `error: ${archive} has no run trials/none; forge traces list ${archive} lists those that it has.`,
    ]);
  });

  it("is refused where its files are not as it was made", async () => {
    const bytes = gunzipSync(readFileSync(archive));
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
