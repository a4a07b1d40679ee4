import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { Json, JsonObject } from "../../../harness/json.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { firstHash, formatLine, laneDigest } from "../../../traces/format/line.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-bounded-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** A trace of one event whose line says `d` as it is: whole in every hash, and written by nobody's recorder. */
function lineOf(data: string): string {
  const folder = join(root, `run-${made++}`);
  mkdirSync(folder);
  const event = { t: "note" as const, lane: "main", n: 0, cause: [], d: {} };
  const { line } = formatLine(event, { seq: 0, ts: 0, dt: 0, data, s: laneDigest(firstHash, event, data), prev: firstHash });
  writeFileSync(join(folder, "trace.jsonl"), `${line}\n`);
  return folder;
}

function blob(folder: string, content: string, as: "text" | "json"): JsonObject {
  const hash = sha256(content);
  mkdirSync(dirname(pathOf(folder, hash)), { recursive: true });
  writeFileSync(pathOf(folder, hash), content);
  return { $blob: hash, bytes: Buffer.byteLength(content), as };
}
const pathOf = (folder: string, hash: string): string => join(folder, "blobs", hash.slice(0, 2), hash);

/** `levels` blobs, each of which names the one before `fan` times, around a text. */
function tower(levels: number, fan: number, text: string): string {
  const store = lineOf("{}");
  let at: Json = blob(store, text, "text");
  for (let level = 0; level < levels; level++) at = blob(store, JSON.stringify(Array.from({ length: fan }, () => at)), "json");
  const folder = lineOf(JSON.stringify({ text: "x", more: at }));
  execFileSync("cp", ["-r", join(store, "blobs"), folder]);
  return folder;
}

const refused = { name: "CannotError", exitCode: 3 };

describe("an event that would fill the memory", () => {
  it("is refused with a sentence that names it, where few small blobs name each other many times", async () => {
    const folder = tower(6, 100, "a text"); // 10^12 texts in 60 KB
    const message = expect.stringMatching(
      /event 0 .*refers to more than 256 MiB of payloads, each counted as often as it is named, and is not read\. .*leave this trace out\.$/,
    );
    await expect(verifyTrace(folder)).rejects.toMatchObject({ ...refused, message });
    await expect(loadTrace(folder)).rejects.toMatchObject({ ...refused, message });
  });

  it("is refused where one large text is named often, and read where it is named a few times", async () => {
    const large = "x".repeat(20 * 1024 * 1024);
    await expect(loadTrace(tower(1, 14, large))).rejects.toMatchObject(refused);
    await expect(verifyTrace(tower(1, 14, large))).rejects.toMatchObject(refused);
    const { events } = await loadTrace(tower(1, 3, large));
    expect(events[0]?.d["more"]).toEqual([large, large, large]);
  });

  it("is refused where it is nested deeper than any stack, in its line or in a blob", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const said = { ...refused, message: expect.stringMatching(/nested too deep/) };
    await expect(verifyTrace(lineOf(`{"text":"x","deep":${deep}}`))).rejects.toMatchObject(said);
    const store = lineOf("{}");
    const inBlob = lineOf(JSON.stringify({ text: "x", deep: blob(store, deep, "json") }));
    execFileSync("cp", ["-r", join(store, "blobs"), inBlob]);
    await expect(loadTrace(inBlob)).rejects.toMatchObject(said);
  });

  it("is refused for a blob of gigabytes, a pipe in a blob's place, a name that is no hash and a payload that is not JSON", async () => {
    const refer = (hash: string): string => JSON.stringify({ text: "x", more: { $blob: hash, bytes: 1, as: "json" } });
    const hash = "a".repeat(64);
    const huge = lineOf(refer(hash));
    mkdirSync(dirname(pathOf(huge, hash)), { recursive: true });
    writeFileSync(pathOf(huge, hash), "");
    truncateSync(pathOf(huge, hash), 8 * 1024 ** 3); // sparse
    await expect(verifyTrace(huge)).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/is 8589934592 bytes long/) });
    const piped = lineOf(refer(hash));
    mkdirSync(dirname(pathOf(piped, hash)), { recursive: true });
    execFileSync("mkfifo", [pathOf(piped, hash)]);
    await expect(verifyTrace(piped)).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(/is no file/) });
    await expect(verifyTrace(lineOf(refer("../../../etc/passwd")))).rejects.toMatchObject({ exitCode: 4 });
    const store = lineOf("{}");
    const broken = lineOf(JSON.stringify({ text: "x", more: { ...blob(store, "not json", "text"), as: "json" } }));
    execFileSync("cp", ["-r", join(store, "blobs"), broken]);
    await expect(verifyTrace(broken)).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(/referred to as JSON/) });
  });
});

describe("a reference to a payload", () => {
  it("is one however its key is written, and a text that looks like one is none", async () => {
    const hash = sha256("nowhere");
    for (const key of ["$blob", "$\\u0062lob", "$b\\u006cob", "\\u0024blob"])
      await expect(verifyTrace(lineOf(`{"text":"x","more":{"${key}":"${hash}","bytes":7,"as":"text"}}`))).rejects.toThrow(
        `The blob ${hash} is missing`,
      );
    const said = JSON.stringify({ text: `{"$blob":"${hash}","bytes":7,"as":"text"} "$HOME" "$$"` });
    expect(await verifyTrace(lineOf(said))).toMatchObject({ events: 1, blobs: 0 });
  });
});
