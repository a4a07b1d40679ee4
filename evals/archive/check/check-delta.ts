import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { DamagedError } from "../../../harness/errors.ts";
import { hashFile } from "../../../harness/hash/hash-file.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import { blobPath, blobsFolder } from "../../trial/keep/store-delta.ts";
import { parseKeptDelta } from "../../trial/keep/delta-file.ts";
import { lastRunOf, namesIn } from "./check-attempt.ts";
import { isMachineTrouble } from "./findings.ts";

const toldSchema = z.looseObject({
  steps: z.array(z.looseObject({ name: z.string(), delta: z.looseObject({ kept: z.boolean() }).optional() })),
});

/**
 * The blobs that an attempt's kept deltas are made of, of its steps' too, each looked at: those that `steps.json` tells of, and where the record's was kept,
 * which is the last run's, whatever others left.
 * @throws DamagedError for a delta that is told of and missing, and for a blob that is missing or has other bytes
 */
export async function deltaBlobs(job: string, attempt: string, { kept }: { readonly kept: boolean }): Promise<ReadonlySet<string>> {
  const inSteps = await namesIn(join(job, attempt, "steps"));
  const folders = new Set(kept ? [relative(job, await lastRunOf(join(job, attempt)))] : []);
  const told = await readJson(join(job, attempt, "steps.json"), toldSchema, "does not list the steps of a task.");
  for (const [i, { name, delta }] of (told?.steps ?? []).entries()) {
    if (delta?.kept !== true) continue;
    if (i > 0 && !inSteps.includes(name)) throw new DamagedError(`What ${attempt}/steps.json lists as kept of step ${i + 1} is missing.`);
    folders.add(i === 0 ? attempt : join(attempt, "steps", name));
  }
  if (kept)
    for (const one of [attempt, ...inSteps.map((name) => join(attempt, "steps", name))])
      if ((await namesIn(join(job, one))).includes("delta.json")) folders.add(one);
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
