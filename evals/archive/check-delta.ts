import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createReadStream } from "node:fs";
import { createHash } from "node:crypto";
import { DamagedError } from "../../harness/errors.ts";
import { blobPath, blobsFolder } from "../trial/keep-delta.ts";
import { parseKeptDelta } from "../trial/kept-delta.ts";

/** The blobs that an attempt's kept delta is made of, each looked at. @throws DamagedError for one that is missing or has other bytes. */
export async function deltaBlobs(job: string, attempt: string): Promise<ReadonlySet<string>> {
  const at = join(attempt, "delta.json");
  const text = await readFile(join(job, at), "utf8").catch(() => {
    throw new DamagedError(`${at} is missing, although its record names it.`);
  });
  const digests = new Set(parseKeptDelta(text, at).paths.flatMap(({ files }) => files.map(({ digest }) => digest)));
  for (const digest of digests) {
    const hash = createHash("sha256");
    try {
      for await (const chunk of createReadStream(blobPath(blobsFolder(job), digest))) hash.update(chunk as Buffer); // a byte stream
    } catch {
      throw new DamagedError(`blobs/${digest.slice(0, 2)}/${digest} is missing, and ${at} needs it.`);
    }
    if (hash.digest("hex") !== digest)
      throw new DamagedError(`blobs/${digest.slice(0, 2)}/${digest} does not have the bytes it is named after.`);
  }
  return digests;
}
