import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { collectBlobs } from "../../../traces/keep/collect-blobs.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { firstHash, tailBytes } from "../../../traces/format/line.ts";
import { loadRecording } from "../../../traces/replay/verify/load-recording.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { writeRun } from "../write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-bad-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** A sealed run with a payload that only its last result names. */
async function run(): Promise<{ folder: string; trace: string; blob: string }> {
  const script = [{ calls: [{ name: "bash", args: {} }] }, { text: "done" }];
  const { events } = await runFixture({ script, exec: () => "x".repeat(6000) });
  const folder = writeRun(join(root, String(made++)), events);
  const [first = ""] = readdirSync(join(folder, "blobs"));
  const [name = ""] = readdirSync(join(folder, "blobs", first));
  return { folder, trace: join(folder, "trace.jsonl"), blob: join(folder, "blobs", first, name) };
}
/** Every way to read a run whole, or to change what is kept of it. */
const uses: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
  ["loaded", loadTrace],
  ["verified", (folder) => verifyTrace(folder)],
  ["compressed", compressTrace],
  ["cleaned", (folder) => collectBlobs(folder, { dryRun: false })],
];

describe.each(uses)("a run that is %s", (_, use) => {
  it("and lost its end since it was sealed is damaged, and nothing of it is removed", async () => {
    const { folder, trace, blob } = await run();
    const lines = readFileSync(trace, "utf8").split("\n");
    const until = lines.findIndex((line) => line.includes('"t":"tool.result"'));
    truncateSync(trace, Buffer.byteLength(`${lines.slice(0, until).join("\n")}\n`));
    await expect(use(folder)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("does not fit its seal") as unknown });
    expect([existsSync(trace), existsSync(blob)]).toEqual([true, true]);
  });

  it("and has more behind its seal is damaged", async () => {
    const { folder, trace } = await run();
    writeFileSync(trace, `${readFileSync(trace, "utf8")}{"v":1`);
    await expect(use(folder)).rejects.toMatchObject({ exitCode: 4 });
  });
});

describe("a payload that is a link", () => {
  it("is not followed, wherever it leads", async () => {
    const { folder, blob } = await run();
    renameSync(blob, join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), blob);
    for (const use of [loadTrace, verifyTrace, (at: string) => collectBlobs(at, { dryRun: false })])
      await expect(use(folder)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("no link is followed") as unknown });
    expect(existsSync(blob)).toBe(true);
  });
});

describe("a trace of a later version", () => {
  /** The first line as another version would have written it. */
  const later = (text: string): string => {
    const [first = "", ...rest] = text.split("\n");
    const head = first.replace('{"v":1', '{"v":2').slice(0, -tailBytes);
    return [`${head},"h":"${sha256(firstHash + head)}"}`, ...rest].join("\n");
  };

  it("cannot be read by this Forge, and says so; one that only looks so is damaged", async () => {
    const { folder, trace } = await run();
    const text = readFileSync(trace, "utf8");
    writeFileSync(trace, later(text));
    await expect(verifyTrace(folder)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining("version 2") as unknown });
    writeFileSync(trace, text.replace('{"v":1', '{"v":2'));
    const damaged = verifyTrace(folder);
    await expect(damaged).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("byte 0") as unknown });
    await expect(damaged).rejects.toThrow("the event has version 2 and does not fit its hash");
  });
});

describe("a trace that is whole, but whose configuration no Forge wrote", () => {
  const other = (d: JsonObject, change: JsonObject): JsonObject => ({ ...d, config: { ...(d["config"] as JsonObject), ...change } }); // an object in every trace
  it.each([
    ["none", (d: JsonObject) => ({ ...d, config: {} }), "config.name"],
    ["no list of middleware", (d: JsonObject) => other(d, { middleware: null }), "config.middleware"],
    ["tools of another shape", (d: JsonObject) => other(d, { tools: [{ name: 3 }] }), "config.tools.0.name"],
    ["limits that are no numbers", (d: JsonObject) => other(d, { limits: { turns: "many" } }), "config.limits.turns"],
  ] as const)("is not replayed: %s", async (_, change, place) => {
    const { events } = await runFixture({ script: [{ text: "done" }] });
    const folder = writeRun(
      join(root, String(made++)),
      events.map((event) => (event.t === "run.start" ? { ...event, d: change(event.d) } : event)),
    );
    await expect(loadRecording(folder)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining(place) as unknown });
    expect((await loadRecording(folder, { imported: true })).events).toHaveLength(events.length);
  });
});
