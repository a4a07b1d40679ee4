import { spawnSync } from "node:child_process";
import { open, type FileHandle } from "node:fs/promises";
import * as zlib from "node:zlib";
import { CannotError, codeOf, DamagedError } from "../../harness/errors.ts";

/** A file in an archive, as its directory lists it. */
export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflate, 93 zstd. */
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** An unpacked file larger than this is refused: it would be text of which a summary is enough. */
const largest = 512 * 1024 * 1024;
/** Of one file in an archive: its directory is at most as large. */
const largestDirectory = 64 * 1024 * 1024;

/**
 * A zip archive from which single files are read; only what is asked for is held.
 * @throws DamagedError for what is no archive or cut off, CannotError for a packing that cannot be undone here
 */
export async function openZip(
  file: string,
): Promise<{ entries: readonly ZipEntry[]; text: (entry: ZipEntry) => Promise<string>; close: () => Promise<void> }> {
  const handle = await open(file);
  try {
    const entries = await directoryOf(handle, file);
    return { entries, text: (entry) => textOf(handle, file, entry), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const cutOff = (file: string): DamagedError =>
  new DamagedError(`${file} is cut off or no archive: its directory is missing; let the runner finish it, or take the file away.`);

async function directoryOf(handle: FileHandle, file: string): Promise<ZipEntry[]> {
  const { size } = await handle.stat();
  const tail = await bytes(handle, Math.max(0, size - 65_557), Math.min(size, 65_557), file);
  const end = tail.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end < 0 || end + 22 > tail.length) throw cutOff(file);
  const [count, length, start] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (count === 0xffff || start === 0xffffffff) return largeDirectory(handle, file, tail, end);
  return entriesIn(await directoryBytes(handle, file, start, length), count, file);
}

/** Of an archive with more than 65,534 files or 4 GB: the numbers stand in a record of their own. */
async function largeDirectory(handle: FileHandle, file: string, tail: Buffer, end: number): Promise<ZipEntry[]> {
  const locator = end - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) throw cutOff(file);
  const record = await bytes(handle, Number(tail.readBigUInt64LE(locator + 8)), 56, file);
  if (record.readUInt32LE(0) !== 0x06064b50) throw cutOff(file);
  const [count, length, start] = [32, 40, 48].map((at) => Number(record.readBigUInt64LE(at)));
  return entriesIn(await directoryBytes(handle, file, start ?? 0, length ?? 0), count ?? 0, file);
}

function directoryBytes(handle: FileHandle, file: string, start: number, length: number): Promise<Buffer> {
  if (length > largestDirectory)
    throw new DamagedError(`${file} has a directory of ${length} bytes, which no log has; take the file away.`);
  return bytes(handle, start, length, file);
}

function entriesIn(directory: Buffer, count: number, file: string): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw cutOff(file);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((o) => directory.readUInt16LE(at + o));
    const nameEnd = at + 46 + (nameLength ?? 0);
    const extra = directory.subarray(nameEnd, nameEnd + (extraLength ?? 0));
    const [packed, size, offset] = wideNumbers(
      [20, 24, 42].map((o) => directory.readUInt32LE(at + o)),
      extra,
    );
    entries.push({
      name: directory.toString("utf8", at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      packed: packed ?? 0,
      size: size ?? 0,
      offset: offset ?? 0,
    });
    at = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return entries;
}

/** Packed size, size and offset; those that did not fit into 32 bits stand in an extra field, the size before the packed one. */
function wideNumbers(narrow: readonly number[], extra: Buffer): number[] {
  const wide = 0xffffffff;
  if (!narrow.includes(wide)) return [...narrow];
  const [packed = 0, size = 0, offset = 0] = narrow;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    const take = (value: number): number => {
      if (value !== wide || next + 8 > extra.length) return value;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    };
    const [s, p, o] = [take(size), take(packed), take(offset)];
    return [p, s, o];
  }
  return [...narrow];
}

async function textOf(handle: FileHandle, file: string, entry: ZipEntry): Promise<string> {
  if (entry.size > largest || entry.packed > largest)
    throw new CannotError(
      `${file}: ${entry.name} has more than ${largest / 1024 / 1024} MB; write a table of task, arm, repeat and score instead.`,
    );
  const head = await bytes(handle, entry.offset, 30, file);
  if (head.readUInt32LE(0) !== 0x04034b50) throw cutOff(file);
  const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const packed = await bytes(handle, start, entry.packed, file);
  try {
    return unpack(packed, entry, file).toString("utf8");
  } catch (error) {
    if (error instanceof CannotError) throw error;
    throw new DamagedError(`${file}: ${entry.name} cannot be unpacked; the file was cut off or changed, take it away.`);
  }
}

function unpack(packed: Buffer, { method, size, name }: ZipEntry, file: string): Buffer {
  if (method === 0) return packed;
  const maxOutputLength = Math.max(1, size);
  if (method === 8) return zlib.inflateRawSync(packed, { maxOutputLength });
  if (method === 93) return unzstd(packed, maxOutputLength, file);
  throw new CannotError(`${file}: ${name} is packed by method ${method}, which is not known; write the log as JSON (inspect log convert).`);
}

/** Node has zstd from 22.15 on; before, the program of that name is asked. */
function unzstd(packed: Buffer, maxOutputLength: number, file: string): Buffer {
  const own: unknown = Reflect.get(zlib, "zstdDecompressSync");
  if (typeof own === "function") return Buffer.from(Reflect.apply(own, zlib, [packed, { maxOutputLength }]) as Uint8Array); // its type is younger than our oldest Node
  const { status, stdout, error } = spawnSync("zstd", ["-dcq"], { input: packed, maxBuffer: maxOutputLength + 1 });
  if (codeOf(error) === "ENOENT")
    throw new CannotError(
      `${file} is packed with zstd, which Node ${process.versions.node} cannot undo; use Node 22.15 or newer, install the program zstd, or write the log as JSON (inspect log convert --to json).`,
    );
  if (status !== 0) throw new Error("not zstd");
  return stdout;
}

/** What an archive says of itself is not to be believed: a place may be beyond its end, or beyond every file's. */
async function bytes(handle: FileHandle, start: number, length: number, file: string): Promise<Buffer> {
  if (!Number.isSafeInteger(start) || start + length > (await handle.stat()).size) throw cutOff(file);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, start);
  if (bytesRead < length) throw cutOff(file);
  return buffer;
}
