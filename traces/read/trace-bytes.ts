import { plural } from "../../harness/text/figures.ts";
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import { readMemberTable, unpackMembers } from "../format/members.ts";
import { readSeal } from "../format/seal.ts";
import { compressedName, sealName, traceFiles } from "../format/trace-files.ts";

/** Where the bytes of a run's trace come from; offsets are always those of the uncompressed bytes. */
export interface TraceBytes {
  /** The file, for what is said about it. */
  readonly path: string;
  readonly compressed: boolean;
  /** Uncompressed. */
  readonly bytes: number;
  /** Throws `DamagedError` for a compressed piece that does not have the bytes it was made of. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The bytes from `offset` on, at most `length`; fewer at the end. */
  range(offset: number, length: number): Promise<Uint8Array>;
}

/** When a run's trace was last written, in Unix milliseconds, whether or not it can be read; where it is gone, when it was sealed; 0 where there is neither. */
export const touchedAt = (folder: string): number =>
  [...traceFiles, sealName].map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0).find((at) => at > 0) ?? 0;

/** The plain file where both are there: the compressed one replaces it only once it is whole. Throws `CannotError` where there is neither, `DamagedError` where there was one that was sealed. */
export function openTraceBytes(folder: string): TraceBytes {
  const plain = join(folder, "trace.jsonl");
  const stat = statSync(plain, { throwIfNoEntry: false });
  // Opening a named pipe would wait for a writer.
  if (stat && !stat.isFile()) throw new CannotError(`${plain} is no file; leave this run out.`);
  if (stat)
    return {
      path: plain,
      compressed: false,
      bytes: stat.size,
      chunks: () => readChunks(plain),
      range: async (offset, length) => readRange(plain, offset, length),
    };
  const path = join(folder, compressedName);
  if (!existsSync(path)) {
    const seal = readSeal(folder);
    if (existsSync(plain)) return openTraceBytes(folder); // it was unpacked just now
    if (!seal) throw new CannotError(`There is no trace.jsonl in ${folder}. Give the folder of a run.`);
    throw new DamagedError(
      `The trace of the run in ${folder} is missing: it was sealed with ${plural(seal.count, "event")} in ${seal.bytes} bytes. Restore ${plain} from a copy.`,
    );
  }
  if (!statSync(path).isFile()) throw new CannotError(`${path} is no file; leave this run out.`);
  const table = readMemberTable(folder);
  return {
    path,
    compressed: true,
    bytes: table.bytes,
    chunks: () => unpackMembers(path, table),
    async range(offset, length) {
      const pieces: Uint8Array[] = [];
      for await (const piece of unpackMembers(path, table, { offset, end: offset + length })) pieces.push(piece);
      const first = table.members.find((member) => member.offset + member.bytes > offset)?.offset ?? 0;
      return Buffer.concat(pieces).subarray(offset - first, offset - first + length);
    },
  };
}

const chunkBytes = 256 * 1024;

/** Read in place: most traces are a chunk or two, and a stream takes longer to be made than that to be read. Goes on to wherever the file ends by then. */
async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = openSync(path, "r");
  try {
    for (let offset = 0; ;) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(4096, fstatSync(file).size - offset)));
      const read = readSync(file, buffer, 0, buffer.length, offset);
      if (read === 0) return;
      yield buffer.subarray(0, read);
      offset += read;
    }
  } finally {
    closeSync(file);
  }
}

function readRange(path: string, offset: number, length: number): Uint8Array {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, fstatSync(file).size - offset)));
    let done = 0;
    while (done < buffer.length) {
      const read = readSync(file, buffer, done, buffer.length - done, offset + done);
      if (read === 0) break;
      done += read;
    }
    return buffer.subarray(0, done);
  } finally {
    closeSync(file);
  }
}
