import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { DamagedError } from "../../harness/errors.ts";
import { hashFile } from "../../harness/events/hash-file.ts";
import { blobPath, blobsFolder } from "../trial/keep-delta.ts";
import { parseKeptDelta } from "../trial/kept-delta.ts";
import { lastRunOf } from "./check-attempt.ts";
import { namesIn } from "./names-in.ts";
import { isMachineTrouble } from "./machine-trouble.ts";

/**
 * The blobs that an attempt's kept deltas are made of, of its steps' too, each looked at. The record's delta is the last run's; what others left is more.
 * @throws DamagedError for the last run's delta that is missing, and for a blob that is missing or has other bytes
 */
export async function deltaBlobs(job: string, attempt: string): Promise<ReadonlySet<string>> {
  const folders = new Set([relative(job, await lastRunOf(join(job, attempt)))]);
  const steps = (await namesIn(join(job, attempt, "steps"))).map((name) => join(attempt, "steps", name));
  for (const one of [attempt, ...steps]) if ((await namesIn(join(job, one))).includes("delta.json")) folders.add(one);
  const digests = new Set<string>();
  for (const folder of folders) for (const digest of await blobsOf(job, folder)) digests.add(digest);
  return digests;
}

async function blobsOf(job: string, folder: string): Promise<ReadonlySet<string>> {
  const at = join(folder, "delta.json");
  const text = await readFile(join(job, at), "utf8").catch((error: unknown) => {
    if (isMachineTrouble(error)) throw error;
    throw new DamagedError(`${at} is missing, although its record names it.`);
  });
  const digests = new Set(parseKeptDelta(text, at).paths.flatMap(({ files }) => files.map(({ digest }) => digest)));
  for (const digest of digests) {
    let found: string;
    try {
      found = (await hashFile(blobPath(blobsFolder(job), digest))).sha256;
    } catch (error) {
      if (isMachineTrouble(error)) throw error;
      throw new DamagedError(`blobs/${digest.slice(0, 2)}/${digest} is missing, and ${at} needs it.`);
    }
    if (found !== digest) throw new DamagedError(`blobs/${digest.slice(0, 2)}/${digest} does not have the bytes it is named after.`);
  }
  return digests;
}
