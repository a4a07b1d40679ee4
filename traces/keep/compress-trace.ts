import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { readWhole } from "../read/read-whole.ts";
import { openTraceBytes } from "../read/trace-bytes.ts";
import { memberTableText, packMembers, readMemberTable, unpackMembers } from "../format/members.ts";
import { compressedName, membersName } from "../format/trace-files.ts";
import { readSeal } from "../format/seal.ts";

export interface Compressed {
  /** False where there was nothing to do. */
  readonly changed: boolean;
  /** Of the trace, before and after; blobs are left alone. */
  readonly before: number;
  readonly after: number;
}

/**
 * Replaces `trace.jsonl` of a sealed run by gzip members and their table. The plain file goes last, after the compressed one was read back whole:
 * a process that is ended in the middle loses nothing, and the next one does it again.
 * @throws CannotError for a trace that is not sealed, DamagedError for one that does not fit its hashes.
 */
export async function compressTrace(folder: string): Promise<Compressed> {
  const plain = join(folder, "trace.jsonl");
  const packed = join(folder, compressedName);
  if (!existsSync(plain) && existsSync(packed)) {
    const size = sizeOf(packed, join(folder, membersName));
    return { changed: false, before: size, after: size };
  }
  if (!readSeal(folder))
    throw new CannotError(`The trace in ${folder} is not sealed, so it may still grow; run: forge traces recover ${folder}`);
  await readWhole(folder, () => undefined);
  const before = sizeOf(plain);
  const table = replaceFile(packed, (write) => packMembers(plain, write));
  replaceFile(join(folder, membersName), (write) => write(Buffer.from(memberTableText(table))));
  await drain(unpackMembers(packed, readMemberTable(folder)));
  rmSync(plain);
  return { changed: true, before, after: sizeOf(packed, join(folder, membersName)) };
}

/** The inverse: the very bytes that were there before. */
export async function decompressTrace(folder: string): Promise<Compressed> {
  const plain = join(folder, "trace.jsonl");
  const packed = join(folder, compressedName);
  const table = openTraceBytes(folder).compressed ? readMemberTable(folder) : undefined;
  if (!table) return { changed: false, before: sizeOf(plain), after: sizeOf(plain) };
  const before = sizeOf(packed, join(folder, membersName));
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackMembers(packed, table)) pieces.push(piece);
  replaceFile(plain, (write) => pieces.forEach(write));
  rmSync(join(folder, membersName));
  rmSync(packed);
  return { changed: true, before, after: sizeOf(plain) };
}

/** Writes a file under another name, makes it durable, and then gives it its own. */
function replaceFile<T>(path: string, fill: (write: (bytes: Uint8Array) => void) => T): T {
  const temporary = `${path}.part`;
  try {
    const file = openSync(temporary, "w");
    let filled: T;
    try {
      filled = fill((bytes) => {
        for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done);
      });
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    return filled;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const sizeOf = (...paths: string[]): number => paths.reduce((sum, path) => sum + statSync(path).size, 0);

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  while (!(await iterator.next()).done);
}
