import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { canonicalJson } from "../../harness/config/canonical-json.ts";
import { codeOf, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/events/hash.ts";
import { readTree, type TreeEntry } from "../../harness/sandbox/tree.ts";
import type { CollectedArtifact } from "./artifacts.ts";

const inside = z.string().refine((path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".."));
const manifestSchema = z.looseObject({
  artifacts: z.array(
    z.looseObject({
      source: z.string(),
      destination: z.string(),
      type: z.enum(["file", "folder", "nothing"]),
      status: z.enum(["ok", "missing", "skipped", "refused"]),
    }),
  ),
});

/** SHA-256 over what an attempt's `artifacts/` holds: paths, contents, targets of links and executable bits; of none, over nothing. */
export async function artifactsDigest(folder: string): Promise<string> {
  const { entries } = await readTree(join(folder, "artifacts")).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return { entries: new Map<string, TreeEntry>() };
    throw error;
  });
  return sha256(canonicalJson([...entries].map(([path, entry]) => [path, { ...entry, mode: isExecutable(entry) }])));
}

const isExecutable = (entry: TreeEntry): boolean => entry.type !== "link" && (entry.mode & 0o111) !== 0;

/**
 * Copies the artifacts of an attempt into another folder, where a verifier may have them, and answers what they are.
 * @throws DamagedError for artifacts that are not the ones that were kept
 */
export async function copyKeptArtifacts(attempt: string, digest: string, to: string): Promise<readonly CollectedArtifact[]> {
  const at = join(attempt, "artifacts");
  if ((await artifactsDigest(attempt)) !== digest)
    throw new DamagedError(`${at} does not hold what its trial's record says that the agent left; restore it from a copy of the job.`);
  const manifest = await readFile(join(at, "manifest.json"), "utf8").catch(() => undefined);
  if (manifest === undefined) return [];
  const { artifacts } = manifestSchema.parse(JSON.parse(manifest)); // as its trial wrote it
  const kept = artifacts.filter(({ destination, status }) => status !== "ok" || inside.safeParse(destination).success);
  await cp(at, join(to, "artifacts"), { recursive: true, verbatimSymlinks: true });
  return kept;
}
