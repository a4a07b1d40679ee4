import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../harness/json.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { decodeData } from "../../../traces/format/decode.ts";
import { encodeData } from "../../../traces/format/encode.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-trace-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const folder = (): string => join(root, `run-${made++}`);
const clock = { now: () => 1_700_000_000_000, sleep: async () => undefined };
const record = (path: string) => recordTrace(path, { clock, micros: () => 0, sync: false });
const note = (text: string, n: number) => ({ t: "note" as const, lane: "main", n, cause: [], d: { text } });

function sealed(texts: readonly string[]): string {
  const path = folder();
  const trace = record(path);
  texts.forEach((text, n) => trace.emit(note(text, n)));
  trace.seal(null);
  return path;
}

describe("a trace on disk", () => {
  it("gives back what was recorded, however hostile", async () => {
    const hostile = [
      "\0\0\0",
      "\u2028\u2029",
      "\ud800 lone",
      "\ud800".repeat(5000),
      "x".repeat(5 * 1024 * 1024),
      '","d":{"x',
      ',"s":"',
      "\n\r",
      "\ufeffbom".repeat(2000),
    ];
    const path = sealed(hostile);
    const trace = await loadTrace(path);
    expect(trace.events.map((event) => event.d["text"])).toEqual(hostile);
    expect(await verifyTrace(path)).toMatchObject({ events: hostile.length, sealed: true, torn: null });
    for (const line of readFileSync(join(path, "trace.jsonl"), "utf8").trim().split("\n")) expect(line.length).toBeLessThan(20_000);
  });

  it("stores a payload once and small ones in their line", async () => {
    const big = "payload ".repeat(10_000);
    const path = sealed([big, big, "small"]);
    expect(await verifyTrace(path)).toMatchObject({ blobs: 1 });
    const blobs = readdirSync(join(path, "blobs"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(blobs).toHaveLength(1);
    expect(statSync(join(path, "trace.jsonl")).size).toBeLessThan(3000);
  });

  it("keeps data that look like a reference, keys like __proto__, and anything else that JSON can say", () => {
    const put = new Map<string, Uint8Array>();
    const through = (d: JsonObject): unknown => {
      const text = encodeData(d, (hash, content) => put.set(hash, content));
      return decodeData(JSON.parse(text) as JsonObject, (hash) => put.get(hash) ?? new Uint8Array());
    };
    const proto = JSON.parse('{"__proto__":{"a":1},"$blob":"x","$$":{"$blob":"0","bytes":1,"as":"text"}}') as JsonObject;
    expect(JSON.stringify(through(proto))).toBe(JSON.stringify(proto));
    const big = fc.string({ minLength: 0, maxLength: 3000, unit: "binary" });
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.string(), fc.constantFrom("$blob", "$", "__proto__")),
          fc.oneof(fc.jsonValue(), big, fc.array(big, { maxLength: 8 })),
        ),
        (d) => {
          const plain = JSON.parse(JSON.stringify(d)) as JsonObject;
          expect(JSON.stringify(through(plain))).toBe(JSON.stringify(plain));
        },
      ),
      { numRuns: draws(300) },
    );
  });

  it("is found changed by any one byte of the trace, of a blob or of the seal", async () => {
    const path = sealed(["a", "b".repeat(5000), "c"]);
    const [blobFolder] = readdirSync(join(path, "blobs"));
    const [blob] = readdirSync(join(path, "blobs", String(blobFolder)));
    const files = ["trace.jsonl", "seal.json", join("blobs", String(blobFolder), String(blob))];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.integer({ min: 1, max: 255 }), async (file, position, flip) => {
        const copy = folder();
        cpSync(path, copy, { recursive: true });
        const bytes = readFileSync(join(copy, file));
        const at = position % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        writeFileSync(join(copy, file), bytes);
        await expect(verifyTrace(copy)).rejects.toThrow(/\S/);
        rmSync(copy, { recursive: true });
      }),
      { numRuns: draws(300) },
    );
  });

  it("keeps the longest valid prefix when its process was killed in the middle of a line", async () => {
    const path = sealed(["a", "b", "c"]);
    const bytes = readFileSync(join(path, "trace.jsonl"));
    rmSync(join(path, "seal.json"));
    writeFileSync(join(path, "trace.jsonl"), bytes.subarray(0, bytes.length - 10));
    const offset = bytes.subarray(0, -1).lastIndexOf(0x0a) + 1;
    const torn = { offset, bytes: bytes.length - 10 - offset };
    expect(await verifyTrace(path)).toMatchObject({ events: 2, sealed: false, torn });
    expect((await loadTrace(path)).torn).toEqual(torn);
  });

  it("says where it is damaged in the middle and goes no further", async () => {
    const path = sealed(["a", "b", "c"]);
    const text = readFileSync(join(path, "trace.jsonl"), "utf8");
    writeFileSync(join(path, "trace.jsonl"), text.replace('"text":"b"', '"text":"B"'));
    await expect(verifyTrace(path)).rejects.toMatchObject({
      name: "DamagedError",
      message: expect.stringMatching(
        /trace\.jsonl is damaged at byte \d+ \(event 1\): the event does not fit its hash\. Restore it from a copy; everything before it is whole\.$/,
      ),
    });
  });

  it("is never started over an existing one, and an empty folder is told as such", async () => {
    const path = sealed(["a"]);
    expect(() => record(path)).toThrow(/Cannot start the trace/);
    await expect(verifyTrace(root)).rejects.toThrow(/no trace\.jsonl/);
    expect(existsSync(join(path, "seal.json"))).toBe(true);
  });

  it("keeps event types and fields it does not know", async () => {
    const path = folder();
    const trace = record(path);
    trace.emit({ t: "future.event" as "note", lane: "main", n: 0, cause: [], d: { anything: [1] } });
    trace.emit({ t: "note", lane: "main", n: 1, cause: [], d: { text: "x", newer: true } });
    trace.seal(null);
    expect(await verifyTrace(path)).toMatchObject({ events: 2, unknown: 1 });
    expect((await loadTrace(path)).events[1]?.d).toEqual({ text: "x", newer: true });
  });

  it("truncates to the last whole event when the disk is full, and says so", async () => {
    const path = folder();
    const trace = record(path);
    trace.emit(note("kept", 0));
    rmSync(join(path, "blobs"), { recursive: true, force: true });
    writeFileSync(join(path, "blobs"), "a file where the folder should be");
    expect(() => trace.emit(note("x".repeat(10_000), 1))).toThrow(/Cannot write the trace/);
    expect(() => trace.emit(note("later", 1))).toThrow(/Cannot write the trace/);
    trace.close();
    expect(await verifyTrace(path)).toMatchObject({ events: 1, torn: null });
  });
});
