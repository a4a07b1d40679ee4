import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { readSmallFile } from "./read-small-file.ts";
import { refuseLaterFile } from "./later-version.ts";
import { compressedName, membersName } from "./trace-files.ts";

/** Uncompressed bytes of a member; the last one has the rest. */
const memberBytes = 256 * 1024;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const size = z.int().min(0);
/** The whole file. */
export const memberTableSchema = z.strictObject({
  v: z.literal(1),
  bytes: size,
  members: z.array(
    z.strictObject({ offset: size, bytes: z.int().min(1).max(memberBytes), at: size, length: size, sha256: hash, packed: hash }),
  ),
  digest: hash,
});
/** Which piece of the trace lies where in the compressed file. */
export interface MemberTable {
  /** Uncompressed. */
  readonly bytes: number;
  readonly members: readonly Member[];
}
interface Member {
  /** In the uncompressed bytes, as everywhere else. */
  readonly offset: number;
  readonly bytes: number;
  /** In the compressed file. */
  readonly at: number;
  readonly length: number;
  /** Of the uncompressed bytes: gzip's own checksum lets some flipped bits pass. */
  readonly sha256: string;
  /** Of the compressed ones: a header has bits that change nothing in what comes out. */
  readonly packed: string;
}

/** Compresses a file piece by piece through `write`; answers where each piece lies. */
export function packMembers(path: string, write: (packed: Uint8Array) => void): MemberTable {
  const file = openSync(path, "r");
  try {
    const members: Member[] = [];
    const buffer = Buffer.alloc(memberBytes);
    for (let offset = 0, at = 0; ;) {
      const bytes = fill(file, buffer, offset, memberBytes);
      if (bytes === 0) return { bytes: offset, members };
      const piece = buffer.subarray(0, bytes);
      const packed = gzipSync(piece, { level: 6 });
      write(packed);
      members.push({ offset, bytes, at, length: packed.length, sha256: sha256(piece), packed: sha256(packed) });
      offset += bytes;
      at += packed.length;
    }
  } finally {
    closeSync(file);
  }
}

/** The pieces again, each checked, or only those with bytes from `offset` up to `end`. Throws `DamagedError` with the piece's offset. */
export async function* unpackMembers(
  path: string,
  { members }: MemberTable,
  only: { readonly offset: number; readonly end: number } = { offset: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  const file = openSync(path, "r");
  try {
    const end = members.reduce((sum, member) => sum + member.length, 0);
    if (fstatSync(file).size !== end)
      throw new DamagedError(`${path} is ${fstatSync(file).size} bytes long, and its member table knows ${end}. Restore both from a copy.`);
    for (const member of members) {
      if (member.offset + member.bytes <= only.offset || member.offset >= only.end) continue;
      const packed = Buffer.alloc(member.length);
      fill(file, packed, member.at, member.length);
      yield unpack(packed, member, path);
    }
  } finally {
    closeSync(file);
  }
}

function unpack(packed: Buffer, { offset, bytes, at, sha256: expected, packed: expectedPacked }: Member, path: string): Uint8Array {
  const damaged = new DamagedError(
    `${path} is damaged in the piece at byte ${at} (byte ${offset} of the trace): it does not have the bytes it was made of. Restore it from a copy.`,
  );
  let piece: Buffer;
  try {
    piece = gunzipSync(packed, { maxOutputLength: bytes });
  } catch {
    throw damaged;
  }
  if (piece.length !== bytes || sha256(piece) !== expected || sha256(packed) !== expectedPacked) throw damaged;
  return piece;
}

/** A terabyte of trace has as long a one. */
const maxTableBytes = 1024 ** 3;

/** Throws `CannotError` when it is missing or of a later version, `DamagedError` when it was changed or its pieces do not follow each other. */
export function readMemberTable(folder: string): MemberTable {
  const path = join(folder, membersName);
  const text = readSmallFile(path, maxTableBytes);
  if (text === undefined)
    throw new CannotError(
      `The member table ${path} is missing: copy the run's folder again, or unpack the trace with: gunzip ${join(folder, compressedName)}`,
    );
  refuseLaterFile(path, text);
  let table: z.infer<typeof memberTableSchema>;
  try {
    table = memberTableSchema.parse(JSON.parse(text));
  } catch {
    throw new DamagedError(`${path} is no member table: it was changed or written by something else.`);
  }
  const { bytes, members } = table;
  const next = { offset: 0, at: 0 };
  const gap = members.some((member) => {
    const follows = member.offset === next.offset && member.at === next.at;
    next.offset += member.bytes;
    next.at += member.length;
    return !follows;
  });
  if (gap || next.offset !== bytes || text !== memberTableText(table))
    throw new DamagedError(`${path} fails its own digest: it was changed after it was written.`);
  return { bytes, members };
}

/** As it is written: `digest` covers the rest. */
export function memberTableText({ bytes, members }: MemberTable): string {
  const body = {
    v: 1,
    bytes,
    members: members.map((one) => ({
      offset: one.offset,
      bytes: one.bytes,
      at: one.at,
      length: one.length,
      sha256: one.sha256,
      packed: one.packed,
    })),
  };
  return `${JSON.stringify({ ...body, digest: sha256(JSON.stringify(body)) })}\n`;
}

/** Reads up to `length` bytes from `position` on; fewer only at the end of the file. */
function fill(file: number, buffer: Buffer, position: number, length: number): number {
  let done = 0;
  while (done < length) {
    const read = readSync(file, buffer, done, length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}
