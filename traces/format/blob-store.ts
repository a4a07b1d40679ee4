import {
  closeSync,
  existsSync,
  fdatasyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CannotError, codeOf, DamagedError, ForgeError, messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";

/** A folder of payloads, `<aa>/<sha256>`. */
export interface BlobStore {
  put(hash: string, content: Uint8Array): void;
  /** Throws `CannotError` when the blob is missing or over 256 MiB, `DamagedError` when its bytes are not the ones it is named after, or it is no file of its own. */
  get(hash: string): Uint8Array;
  /** Makes durable what was put since the last call. */
  sync(): void;
}

/** A larger file is not taken into memory. */
const maxBlobBytes = 256 * 1024 * 1024;

export function openBlobStore(folder: string): BlobStore {
  const known = new Set<string>();
  const unsynced = new Set<string>();
  const pathOf = (hash: string): string => join(folder, hash.slice(0, 2), hash);
  const looked = new Set<string>();
  const refuseLinked = (first: string): void => {
    for (const path of [folder, join(folder, first)]) {
      if (looked.has(path)) continue;
      if (!lstatSync(path).isDirectory())
        throw new DamagedError(
          `${path} is no folder of its own, and no link is followed. Copy the run's folder again, with what links lead to.`,
        );
      looked.add(path);
    }
  };
  return {
    put(hash, content) {
      if (known.has(hash)) return;
      const path = pathOf(hash);
      if (!existsSync(path)) {
        mkdirSync(join(folder, hash.slice(0, 2)), { recursive: true });
        const temporary = `${path}.part`;
        try {
          writeFileSync(temporary, content);
          renameSync(temporary, path);
        } catch (error) {
          rmSync(temporary, { force: true });
          throw error;
        }
        unsynced.add(path);
      }
      known.add(hash);
    },
    get(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new DamagedError(`A reference names the blob ${JSON.stringify(hash)}, which is no SHA-256.`);
      let content: Uint8Array;
      try {
        refuseLinked(hash.slice(0, 2));
        const { size, isFile } = sizeOf(pathOf(hash));
        if (!isFile)
          throw new DamagedError(
            `The blob ${pathOf(hash)} is no file of its own, and no link is followed. Copy the run's folder again, with what links lead to.`,
          );
        if (size > maxBlobBytes)
          throw new CannotError(
            `The blob ${pathOf(hash)} is ${size} bytes long and is not read. No run of Forge writes that: leave this trace out.`,
          );
        content = readFileSync(pathOf(hash));
      } catch (error) {
        if (error instanceof ForgeError) throw error;
        const code = codeOf(error);
        if (code !== "ENOENT" && code !== "ENOTDIR")
          throw new CannotError(
            `The blob ${pathOf(hash)} cannot be read: ${messageOf(error)}. Make it readable, or copy the run's folder again.`,
          );
        throw new CannotError(
          `The blob ${hash} is missing in ${folder}: the trace is not whole. Copy the run's folder again, blobs included.`,
        );
      }
      if (sha256(content) !== hash) throw new DamagedError(`The blob ${pathOf(hash)} does not have the bytes it is named after.`);
      return content;
    },
    sync() {
      for (const path of unsynced) {
        const file = openSync(path, "r");
        try {
          fdatasyncSync(file);
        } finally {
          closeSync(file);
        }
      }
      unsynced.clear();
    },
  };
}

/** Looked at before it is opened: a pipe would never end, and what a link leads to is not the run's. */
function sizeOf(path: string): { size: number; isFile: boolean } {
  const found = lstatSync(path);
  return { size: found.size, isFile: found.isFile() };
}
