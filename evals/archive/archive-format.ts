import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { JsonObject } from "../../harness/json.ts";

/** What stands first in an archive, in this order; the signature only where it is signed. */
export const manifestName = "manifest.json";
export const signatureName = "signature.json";

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** `manifest.json`: what an archive holds, and what was computed of it when it was made. No time and no place: the same job gives the same bytes. */
const manifestSchema = z.strictObject({
  v: z.literal(1),
  kind: z.literal("forge-job"),
  job: z.string().min(1),
  /** Of the Forge that made the archive; the job's own stands in its lock. */
  forgeVersion: z.string(),
  /** Files of the job, and their bytes. */
  files: z.int().min(0),
  bytes: z.int().min(0),
  /** SHA-256 of `SHA256SUMS`, which names every file of the job with its own. */
  sums: hash,
  /** Fingerprint of the key that signed the archive. */
  signer: hash.nullable(),
  /** What of the job's folder was not taken along. */
  leftOut: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  /** The job's numbers and the comparison of its configurations, from its trials: `job-table.ts`. */
  table: z.record(z.string(), z.json()),
  /** SHA-256 over all the rest. */
  digest: hash,
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The bytes of a manifest, its digest added. */
export function manifestText(body: Omit<Manifest, "digest">): string {
  return `${JSON.stringify({ ...body, digest: digestOf(body) }, null, 2)}\n`;
}

/** @throws DamagedError for what is no manifest, or was changed after it was written; CannotError for one of a later format. */
export function parseManifest(text: string): Manifest {
  let found: JsonObject;
  try {
    found = z.record(z.string(), z.json()).parse(JSON.parse(text));
  } catch {
    throw new DamagedError(`${manifestName} is not the manifest of a job's archive.`);
  }
  const { digest, ...body } = found;
  // every byte counts, spaces too
  if (digest !== digestOf(body) || `${JSON.stringify(found, null, 2)}\n` !== text)
    throw new DamagedError(`${manifestName} fails its own digest: it was changed after it was written.`);
  const parsed = manifestSchema.safeParse(found);
  if (parsed.success) return parsed.data;
  if (typeof found["v"] === "number" && found["v"] > 1)
    throw new CannotError(`The archive is of format ${found["v"]}, and this Forge reads format 1; verify it with the Forge that made it.`);
  const [issue] = parsed.error.issues;
  throw new DamagedError(`${manifestName}: ${issue?.path.join(".")}: ${issue?.message}.`);
}

const digestOf = (body: object): string => sha256(canonicalJson(body));
