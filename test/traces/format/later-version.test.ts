import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import tar from "tar-stream";
import { afterAll, describe, expect, it } from "vitest";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { resultText } from "../../../reports/terminal/run-list.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { runFixture } from "../../../testing.ts";
import { unpackBundle } from "../../../traces/bundle/unpack-bundle.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { firstHash, tailBytes } from "../../../traces/format/line.ts";
import { runOverview } from "../../../traces/read/run-overview.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { said } from "../../cli/said.ts";
import { writeRun } from "../write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-later-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

async function run(): Promise<string> {
  const { events } = await runFixture({ script: [{ text: "done" }] });
  return writeRun(join(root, `run-${made++}`), events);
}

/** The lines from `first` on as a Forge of version 9 would have written them, and the last hash. */
function laterLines(folder: string, first: number): { head: string; offset: number } {
  const path = join(folder, "trace.jsonl");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const offset = Buffer.byteLength(
    lines
      .slice(0, first)
      .map((line) => `${line}\n`)
      .join(""),
  );
  let head = first === 0 ? firstHash : (JSON.parse(lines[first - 1] ?? "") as { h: string }).h;
  const written = lines.map((line, n) => {
    if (n < first) return line;
    const before = (JSON.parse(line) as { prev: string }).prev;
    const body = line.replace('{"v":1', '{"v":9').replace(`"prev":"${before}"`, `"prev":"${head}"`).slice(0, -tailBytes);
    head = sha256(head + body);
    return `${body},"h":"${head}"}`;
  });
  writeFileSync(path, `${written.join("\n")}\n`);
  return { head, offset };
}

/** A file that ends with its digest, changed and with a digest that fits again. */
function laterFile(path: string, change: Record<string, unknown> = {}): void {
  const { digest: _, ...before } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const body = { ...before, v: 9, ...change };
  writeFileSync(path, `${JSON.stringify({ ...body, digest: sha256(JSON.stringify(body)) })}\n`);
}

/** Turns the version's digit alone, as an accident would. */
const turn = (path: string): void => writeFileSync(path, readFileSync(path, "utf8").replace('"v":1', '"v":9'));

describe("what a later Forge wrote", () => {
  it("is named with its place and number, and is not damaged: a trace and its seal", async () => {
    const folder = await run();
    const { head } = laterLines(folder, 0);
    laterFile(join(folder, "seal.json"), { head, more: "that this Forge does not know" });
    await expect(verifyTrace(folder)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/seal\.json is of version 9, and this Forge reads version 1/) as unknown,
    });
    expect(await runOverview(folder)).toMatchObject({ state: "later version", why: expect.stringContaining("version 9") as unknown });
    expect(await said(() => replay([folder], {}))).toMatchObject({
      code: 3,
      out: expect.stringContaining(`${folder}/seal.json is of version 9`) as unknown,
    });
  });

  it("is believed of a seal whose digest is none of ours where the trace says so too", async () => {
    const folder = await run();
    laterLines(folder, 0);
    turn(join(folder, "seal.json"));
    await expect(verifyTrace(folder)).rejects.toMatchObject({ exitCode: 3 });
  });

  it("is an event from which on the trace is of that version: with its byte and number", async () => {
    const folder = await run();
    const { offset } = laterLines(folder, 3);
    rmSync(join(folder, "seal.json"));
    const place = `${folder}/trace.jsonl: what is at byte ${offset} (event 3) is of version 9`;
    await expect(verifyTrace(folder)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining(place) as unknown });
    const overview = await runOverview(folder);
    expect(overview).toMatchObject({ state: "later version", why: expect.stringContaining(place) as unknown });
    expect(resultText(overview)).toBe("later version");
  });

  it("is a member table", async () => {
    const folder = await run();
    await compressTrace(folder);
    const table = join(folder, "trace.jsonl.gz.json");
    laterFile(table, { members: { inAnotherShape: true } });
    await expect(verifyTrace(folder)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining(`${table} is of version 9`) as unknown,
    });
    expect(await runOverview(folder)).toMatchObject({ state: "later version" });
  });

  it("is a bundle", async () => {
    const pack = tar.pack();
    pack.entry({ name: "shared/bundle.json" }, JSON.stringify({ v: 9, kind: "forge-traces" }));
    pack.finalize();
    const path = join(root, "later.tgz");
    const chunks: Buffer[] = [];
    for await (const chunk of pack) chunks.push(chunk as Buffer); // a byte stream
    writeFileSync(path, gzipSync(Buffer.concat(chunks)));
    await expect(unpackBundle(path, mkdtempSync(join(root, "into-")), { maxBytes: 1e9 })).rejects.toMatchObject({
      exitCode: 3,
      message: `${path}: its bundle.json is of version 9, and this Forge reads version 1. Update Forge, or leave the run out.`,
    });
  });

  it.each([
    ["seal", "seal.json", async () => undefined],
    ["member table", "trace.jsonl.gz.json", compressTrace],
  ] as const)("is not what an accident makes of the version in a %s: that is damage, and says both", async (_, name, prepare) => {
    const folder = await run();
    await prepare(folder);
    turn(join(folder, name));
    await expect(verifyTrace(folder)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining("has version 9 and fails its own digest") as unknown,
    });
  });
});
