import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DamagedError } from "../../harness/errors.ts";
import { hashFile } from "../../harness/events/hash-file.ts";
import { blobPath, blobsFolder } from "../trial/keep-delta.ts";
import { parseKeptDelta } from "../trial/kept-delta.ts";
import { namesIn } from "./names-in.ts";
import { isMachineTrouble } from "./machine-trouble.ts";

/** The blobs that an attempt's kept deltas are made of, of its steps' too, each looked at. @throws DamagedError for one that is missing or has other bytes. */
export async function deltaBlobs(job: string, attempt: string): Promise<ReadonlySet<string>> {
  const own = (await namesIn(join(job, attempt))).includes("delta.json") ? [attempt] : [];
  const steps = (await namesIn(join(job, attempt, "steps"))).map((name) => join(attempt, "steps", name));
  const inSteps = [];
  for (const step of steps) if ((await namesIn(join(job, step))).includes("delta.json")) inSteps.push(step);
  const found = [...own, ...inSteps];
  const digests = new Set<string>();
  // Where there is none at all, the attempt's own is missing.
  for (const folder of found.length > 0 ? found : [attempt]) for (const digest of await blobsOf(job, folder)) digests.add(digest);
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
