import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DamagedError, messageOf } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { CarriedPath } from "./carry-into-sandbox.ts";
import { blobPath } from "./store-delta.ts";
import type { KeptDelta } from "./delta-file.ts";

/**
 * Lays the files of a kept delta out in `folder`, new and empty, as they were when they were collected. Every content is checked against its digest.
 * @throws DamagedError for a blob that is missing or has other bytes, and for paths that stand in each other's way
 */
export async function restoreDelta(delta: KeptDelta, blobs: string, folder: string): Promise<CarriedPath[]> {
  const carried: CarriedPath[] = [];
  for (const [i, { path, base, removed, folders, files, links, refused }] of delta.paths.entries()) {
    const own = join(folder, String(i));
    const at = (one: string): string => join(own, "files", one);
    await mkdir(join(own, "files"), { recursive: true });
    try {
      for (const one of folders) await mkdir(at(one.path), { recursive: true });
      for (const one of files) {
        await mkdir(dirname(at(one.path)), { recursive: true });
        await writeFile(at(one.path), await readBlob(blobs, one.digest), { flag: "wx" });
        await chmod(at(one.path), one.mode);
      }
      for (const one of folders) await chmod(at(one.path), one.mode | 0o700);
    } catch (error) {
      if (error instanceof DamagedError) throw error;
      throw new DamagedError(`The kept delta of ${path} cannot be laid out: ${messageOf(error)}.`);
    }
    const written = [...folders, ...files].map((one) => one.path);
    carried.push({ path, base, folder: own, delta: { removed, written, links, refused } });
  }
  return carried;
}

async function readBlob(blobs: string, digest: string): Promise<Uint8Array> {
  const path = blobPath(blobs, digest);
  const content = await readFile(path).catch(() => {
    throw new DamagedError(`${path} is missing, so the trial's delta is not whole; restore it from a copy of the job.`);
  });
  if (sha256(content) !== digest)
    throw new DamagedError(`${path} does not have the bytes it is named after; restore it from a copy of the job.`);
  return content;
}
