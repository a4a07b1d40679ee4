import { createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { compressedName, readMemberTable, unpackMembers } from "../record/members.ts";

/** Where the bytes of a run's trace come from; offsets are always those of the uncompressed bytes. */
export interface TraceBytes {
  /** The file, for what is said about it. */
  readonly path: string;
  readonly compressed: boolean;
  /** Uncompressed. */
  readonly bytes: number;
  /** Throws `DamagedError` for a compressed piece that does not have the bytes it was made of. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Whether a folder is one of a run. */
export const hasTrace = (folder: string): boolean => existsSync(join(folder, "trace.jsonl")) || existsSync(join(folder, compressedName));

/** The names of a trace's file, plain or compressed. */
export const isTraceFile = (name: string): boolean => name === "trace.jsonl" || name === compressedName;

/** The plain file where both are there: the compressed one replaces it only once it is whole. Throws `CannotError` where there is neither. */
export function openTraceBytes(folder: string): TraceBytes {
  const plain = join(folder, "trace.jsonl");
  if (existsSync(plain))
    return {
      path: plain,
      compressed: false,
      bytes: statSync(plain).size,
      chunks: () => createReadStream(plain, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>, // a byte stream gives buffers
    };
  const path = join(folder, compressedName);
  if (!existsSync(path)) throw new CannotError(`There is no trace.jsonl in ${folder}. Give the folder of a run.`);
  const table = readMemberTable(folder);
  return { path, compressed: true, bytes: table.bytes, chunks: () => unpackMembers(path, table) };
}
