import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { compressTrace, decompressTrace } from "../../../traces/keep/compress-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-compress-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const next = (): string => join(root, `run-${made++}`);

/** A sealed trace of about 700 KiB: three members. */
function sealed(events = 250): string {
  const folder = next();
  const trace = recordTrace(folder, { clock: { now: () => 5, sleep: async () => undefined }, micros: () => 0, sync: false });
  const random = seededRandom(7);
  for (let n = 0; n < events; n++)
    trace.emit({ t: "note", lane: "main", n, cause: [], d: { text: Array.from({ length: 125 }, () => random()).join(" ") } });
  trace.seal(null);
  return folder;
}

describe("a compressed trace", () => {
  it("is read as before, verified as before, and unpacks to the very bytes", async () => {
    const folder = sealed();
    const plain = readFileSync(join(folder, "trace.jsonl"));
    const before = await loadTrace(folder);
    const check = await verifyTrace(folder);
    const done = await compressTrace(folder);
    expect(done.after).toBeLessThan(done.before / 1.5);
    expect(existsSync(join(folder, "trace.jsonl"))).toBe(false);
    expect(await verifyTrace(folder)).toEqual(check);
    expect((await loadTrace(folder)).lines).toEqual(before.lines);
    expect(gunzipSync(readFileSync(join(folder, "trace.jsonl.gz"))).equals(plain)).toBe(true);
    const table = JSON.parse(readFileSync(join(folder, "trace.jsonl.gz.json"), "utf8")) as { members: { bytes: number }[] };
    expect(table.members.length).toBeGreaterThan(2);
    for (const { bytes } of table.members) expect(bytes).toBeLessThanOrEqual(256 * 1024);
    expect((await compressTrace(folder)).changed).toBe(false);
    await decompressTrace(folder);
    expect(readFileSync(join(folder, "trace.jsonl")).equals(plain)).toBe(true);
    expect(existsSync(join(folder, "trace.jsonl.gz"))).toBe(false);
  });

  it("is found changed by any one byte of it or of its table, and by a piece more or less", async () => {
    const folder = sealed(12);
    await compressTrace(folder);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("trace.jsonl.gz", "trace.jsonl.gz.json"),
        fc.oneof(fc.nat({ max: 12 }), fc.nat()), // gzip's header has bytes that change nothing in what comes out
        fc.integer({ min: 1, max: 255 }),
        async (file, position, flip) => {
          const copy = next();
          cpSync(folder, copy, { recursive: true });
          const bytes = readFileSync(join(copy, file));
          const at = position % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ flip;
          writeFileSync(join(copy, file), bytes);
          await expect(verifyTrace(copy)).rejects.toMatchObject({ exitCode: 4 });
          rmSync(copy, { recursive: true });
        },
      ),
      { numRuns: 200 },
    );
    for (const change of [(bytes: Buffer) => bytes.subarray(0, -1), (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("x")])]) {
      const copy = next();
      cpSync(folder, copy, { recursive: true });
      const path = join(copy, "trace.jsonl.gz");
      writeFileSync(path, change(readFileSync(path)));
      await expect(verifyTrace(copy)).rejects.toMatchObject({ exitCode: 4 });
    }
  });

  it("says where it is damaged, in bytes of the file and of the trace", async () => {
    const folder = sealed();
    await compressTrace(folder);
    const path = join(folder, "trace.jsonl.gz");
    const bytes = readFileSync(path);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await expect(verifyTrace(folder)).rejects.toThrow(/trace\.jsonl\.gz is damaged in the piece at byte \d+ \(byte 524288 of the trace\)/);
  });

  it("is made of a sealed trace alone; a missing table says how to go on", async () => {
    const folder = next();
    const trace = recordTrace(folder, { clock: { now: () => 5, sleep: async () => undefined }, micros: () => 0, sync: false });
    trace.emit({ t: "note", lane: "main", n: 0, cause: [], d: { text: "x" } });
    trace.close();
    await expect(compressTrace(folder)).rejects.toThrow(/is not sealed, so it may still grow; run: forge traces recover/);
    const other = sealed(2);
    await compressTrace(other);
    rmSync(join(other, "trace.jsonl.gz.json"));
    await expect(verifyTrace(other)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining("gunzip") });
  });

  it("whose making was interrupted is still the plain one, and is made again", async () => {
    const folder = sealed(3);
    writeFileSync(join(folder, "trace.jsonl.gz"), "half");
    writeFileSync(join(folder, "trace.jsonl.gz.part"), "half");
    expect(await verifyTrace(folder)).toMatchObject({ events: 3 });
    expect((await compressTrace(folder)).changed).toBe(true);
    expect(await verifyTrace(folder)).toMatchObject({ events: 3 });
  });
});
