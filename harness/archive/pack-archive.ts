import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import tar from "tar-stream";
import { DamagedError, messageOf } from "../errors.ts";
import { sha256 as sha256Of } from "../hash/sha256.ts";
import { createCountingHash } from "./counting-hash.ts";

/** Files of at most this size are read at once. */
export const smallBytes = 1024 ** 2;

/** A file as it goes into an archive. */
export interface PackedFile {
  /** Relative to the folder that is packed. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface PackedArchive {
  /** The one folder that everything lies in. */
  readonly prefix: string;
  /** What stands before the job's files. */
  readonly head: readonly { readonly path: string; readonly text: string }[];
  readonly folder: string;
  readonly files: readonly PackedFile[];
}

/**
 * The tar stream of an archive. Owners, times and modes are always the same, so that the same files give the same bytes. The stream fails with a
 * DamagedError where a file is no longer the one that was listed.
 */
export function packArchive({ prefix, head, folder, files }: PackedArchive, onFile?: (done: number) => void): tar.Pack {
  const pack = tar.pack();
  const write = async (): Promise<void> => {
    for (const { path, text } of head) await packBytes(pack, prefix + path, Buffer.from(text));
    for (const [i, { path, bytes, sha256 }] of files.entries()) {
      const found = await packFile(pack, prefix + path, { path: join(folder, path), bytes });
      if (found !== sha256)
        throw new DamagedError(`${join(folder, path)} changed while it was read; try again when no process works in that folder.`);
      onFile?.(i + 1);
    }
    pack.finalize();
  };
  write().catch((error: unknown) => pack.destroy(error instanceof Error ? error : new Error(messageOf(error))));
  return pack;
}

/** Adds a file whose content is at hand. */
export const packBytes = (pack: tar.Pack, name: string, content: Buffer): Promise<void> =>
  new Promise((resolve, reject) =>
    pack.entry({ ...fixed, name, size: content.length }, content, (error) => (error ? reject(error) : resolve())),
  );

/** Adds a file of the disk; returns the hash of what was read. */
export async function packFile(pack: tar.Pack, name: string, { path, bytes }: Omit<PackedFile, "sha256">): Promise<string> {
  if (bytes <= smallBytes) {
    const content = await readFile(path);
    await packBytes(pack, name, content);
    return sha256Of(content);
  }
  const hashing = createCountingHash();
  // one byte more than there should be, so that a file that grew is noticed
  await pipeline(createReadStream(path, { end: bytes }), hashing.stream, pack.entry({ ...fixed, name, size: bytes }));
  return hashing.sha256();
}

const fixed = { type: "file", mode: 0o644, uid: 0, gid: 0, mtime: new Date(0) } as const;
