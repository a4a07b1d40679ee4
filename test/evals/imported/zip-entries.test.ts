import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { readRuns } from "../../../evals/imported/read-runs.ts";
import { fingerprint } from "../../../evals/imported/result-files.ts";
import { openZip } from "../../../evals/imported/zip-entries.ts";

const root = mkdtempSync(join(tmpdir(), "forge-zip-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A zip archive of one file; `offset`: where its directory says that the file begins, in the wide field. */
function zip(name: string, content: string, offset?: bigint): string {
  const packed = deflateRawSync(content);
  const local = Buffer.alloc(30 + name.length);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  local.write(name, 30);
  const extra = Buffer.alloc(offset === undefined ? 0 : 12);
  if (offset !== undefined) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(offset, 4);
  }
  const entry = Buffer.alloc(46 + name.length);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(content.length, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(offset === undefined ? 0 : 0xffffffff, 42);
  entry.write(name, 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length + extra.length, 12);
  end.writeUInt32LE(local.length + packed.length, 16);
  const path = join(root, `${name.replaceAll("/", "-")}-${String(offset)}.eval`);
  writeFileSync(path, Buffer.concat([local, packed, entry, extra, end]));
  return path;
}

describe("a zip archive", () => {
  it("gives its file back", async () => {
    const { entries, text, close } = await openZip(zip("a.txt", "hello hello"));
    expect(await text(entries[0] as (typeof entries)[number])).toBe("hello hello"); // there is one
    await close();
  });

  it.each([2n ** 63n, 2n ** 53n + 2n, 10n ** 6n])("that names a place at %s is cut off, and no defect of Forge", async (offset) => {
    const { entries, text, close } = await openZip(zip("a.txt", "hello", offset));
    await expect(text(entries[0] as (typeof entries)[number])).rejects.toThrow(/is cut off or no archive/); // there is one
    await close();
  });

  it.runIf(process.platform === "linux")("whose head is no log is not left open", async () => {
    const file = zip("header.json", '{"status": 7}');
    await expect(readRuns(file)).rejects.toThrow(/header\.json is no result of Inspect that is known/);
    const open = readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    expect(open).not.toContain(file);
  });
});

it("settings are the same in whatever order a runner wrote their keys", () => {
  expect(fingerprint([{ b: 1, a: { d: 2, c: 3 } }])).toBe(fingerprint([{ a: { c: 3, d: 2 }, b: 1 }]));
  expect(fingerprint([{ a: 1 }])).not.toBe(fingerprint([{ a: 2 }]));
});
