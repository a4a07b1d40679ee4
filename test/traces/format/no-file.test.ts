import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { collectGarbage, recoverRuns } from "../../../cli/traces/keep/keep-traces.ts";
import { listRuns } from "../../../cli/traces/list-runs.ts";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { ForgeError } from "../../../harness/errors.ts";
import { runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { collectBlobs } from "../../../traces/keep/collect-blobs.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { recoverTrace } from "../../../traces/keep/recover-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { joined, said } from "../../cli/said.ts";
import { writeRun } from "../write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-nofile-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

async function run(): Promise<string> {
  const script = [{ calls: [{ name: "bash", args: {} }] }, { text: "done" }];
  const { events } = await runFixture({ script, exec: () => "x".repeat(6000) });
  return writeRun(join(root, `run-${made++}`), events);
}

async function answerOf(act: () => Promise<number>): Promise<{ code: number; out: string }> {
  let thrown = "";
  const { code, out } = await said(async () => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      thrown = error.message;
      return error.exitCode;
    }
  });
  return { code, out: joined(out) + thrown };
}

const readers: readonly ((folder: string) => Promise<number>)[] = [
  (folder) => listRuns([folder], {}),
  (folder) => showRun(folder, {}),
  (folder) => replay([folder], {}),
  (folder) => replay([folder], { verify: true }),
  (folder) => collectGarbage([folder], {}),
  (folder) => recoverRuns([folder], {}),
];
const pipe = (path: string): void => {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
};

describe("a pipe", () => {
  it.each([
    ["seal.json", 4, async () => undefined],
    ["trace.jsonl.gz", 3, compressTrace],
    ["trace.jsonl.gz.json", 4, compressTrace],
  ] as const)("in the place of %s is said to be no file, and keeps nobody waiting", async (name, exitCode, prepare) => {
    const folder = await run();
    await prepare(folder);
    pipe(join(folder, name));
    for (const read of readers) {
      const { code, out } = await answerOf(() => read(folder));
      expect(out).toContain(`${join(folder, name)} is no file`);
      expect(code).toBe(exitCode);
    }
  });

  it("in the place of writer.json keeps nobody waiting, and nobody writes", async () => {
    const folder = await run();
    rmSync(join(folder, "seal.json"));
    pipe(join(folder, "writer.json"));
    const sentence = `Who writes this trace is not known: ${join(folder, "writer.json")} is no file. Restore it from a copy, or remove it.`;
    expect(await answerOf(() => listRuns([folder], {}))).toMatchObject({ code: 3, out: expect.stringContaining(sentence) as unknown });
    expect(await answerOf(() => recoverRuns([folder], {}))).toMatchObject({ code: 3, out: expect.stringContaining(sentence) as unknown });
    expect(readdirSync(folder)).toContain("writer.json");
  });
});

describe("a seal that is there and cannot be one", () => {
  const clock = { now: () => 5, sleep: async () => undefined };
  it.each([
    ["a folder", (path: string) => mkdirSync(path), "is no file"],
    ["larger than any seal", (path: string) => (writeFileSync(path, ""), truncateSync(path, 3 * 1024 ** 3)), "is 3221225472 bytes long"],
    ["a link that leads nowhere", (path: string) => symlinkSync(join(root, "nowhere"), path), "is a link that leads nowhere"],
  ])("is damage, not a run without a seal: %s", async (_, make, sentence) => {
    const folder = await run();
    const seal = join(folder, "seal.json");
    rmSync(seal);
    make(seal);
    for (const read of readers)
      expect(await answerOf(() => read(folder))).toMatchObject({ code: 4, out: expect.stringContaining(sentence) as unknown });
    const before = readFileSync(join(folder, "trace.jsonl"));
    await expect(recoverTrace(folder, { clock, micros: () => 0, sync: false })).rejects.toMatchObject({ exitCode: 4 });
    expect(readFileSync(join(folder, "trace.jsonl")).equals(before)).toBe(true);
  });
});

describe("a folder of payloads that is a link", () => {
  it.each(["blobs", "inside"])("is not followed: %s", async (which) => {
    const folder = await run();
    const [first = ""] = readdirSync(join(folder, "blobs"));
    const linked = which === "blobs" ? join(folder, "blobs") : join(folder, "blobs", first);
    const elsewhere = join(root, `elsewhere-${made++}`);
    renameSync(linked, elsewhere);
    symlinkSync(elsewhere, linked);
    for (const use of [loadTrace, verifyTrace, (at: string) => collectBlobs(at, { dryRun: false })])
      await expect(use(folder)).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringContaining(`${linked} is no folder of its own, and no link is followed`) as unknown,
      });
  });
});

describe("a payload that is missing, linked or damaged", () => {
  it.each([
    ["missing", (path: string) => rmSync(path), 3],
    ["linked", (path: string) => (renameSync(path, `${path}.there`), symlinkSync(`${path}.there`, path)), 4],
    ["damaged", (path: string) => writeFileSync(path, "y"), 4],
  ] as const)("is told with the event that refers to it, and where that stands: %s", async (_, spoil, exitCode) => {
    const folder = await run();
    const [first = ""] = readdirSync(join(folder, "blobs"));
    const [name = ""] = readdirSync(join(folder, "blobs", first));
    const lines = readFileSync(join(folder, "trace.jsonl"), "utf8").split("\n");
    const seq = lines.findIndex((line) => line.includes(`{"$blob":"${name}"`));
    const offset = Buffer.byteLength(
      lines
        .slice(0, seq)
        .map((line) => `${line}\n`)
        .join(""),
    );
    spoil(join(folder, "blobs", first, name));
    for (const use of [verifyTrace, loadTrace, (at: string) => collectBlobs(at, { dryRun: true })])
      await expect(use(folder)).rejects.toMatchObject({
        exitCode,
        message: expect.stringMatching(new RegExp(`event ${seq} \\(.*byte ${offset}\\): The blob .*${name}`)) as unknown,
      });
  });
});
