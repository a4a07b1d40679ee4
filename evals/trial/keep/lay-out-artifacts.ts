import { cp, mkdir, readFile, rename, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import { codeOf, DamagedError, messageOf } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { readTree, type TreeEntry } from "../../../harness/sandbox/workspace/tree.ts";
import type { CollectedArtifact } from "./collect-artifacts.ts";
import { readKeptDelta } from "./delta-file.ts";
import { restoreDelta } from "./lay-out-delta.ts";

/** What the artifacts of an attempt are the delta of: a place of no sandbox. */
export const artifactsPlace = "/artifacts";

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
 * Lays the artifacts of an attempt out in another folder, where a verifier may have them, and answers what they are.
 * @param o.blobs where the job's contents lie, of artifacts that were kept as a delta; else they lie in the attempt's own `artifacts/`
 * @throws DamagedError for artifacts that are not the ones that were kept
 */
export async function layOutArtifacts(
  attempt: string,
  o: { readonly digest: string; readonly blobs: string | undefined; readonly to: string },
): Promise<readonly CollectedArtifact[]> {
  const { digest, blobs, to } = o;
  if (blobs !== undefined) await fromDelta(attempt, blobs, to);
  const holder = blobs === undefined ? attempt : to;
  const at = blobs === undefined ? join(attempt, "artifacts") : join(attempt, "delta.json");
  if ((await artifactsDigest(holder)) !== digest)
    throw new DamagedError(`${at} does not hold what its trial's record lists as left by the agent; restore it from a copy of the job.`);
  const manifest = await readFile(join(holder, "artifacts", "manifest.json"), "utf8").catch(() => undefined);
  if (manifest === undefined) return [];
  const { artifacts } = manifestSchema.parse(JSON.parse(manifest)); // as its trial wrote it
  const kept = artifacts.filter(({ destination, status }) => status !== "ok" || inside.safeParse(destination).success);
  if (holder !== to) await cp(join(holder, "artifacts"), join(to, "artifacts"), { recursive: true, verbatimSymlinks: true });
  return kept;
}

async function fromDelta(attempt: string, blobs: string, to: string): Promise<void> {
  const delta = await readKeptDelta(attempt);
  const [own, ...more] = delta.paths;
  // Whoever wrote it: what a link may be is told by where it is thought to lie, and these are made on this machine.
  if (own?.base !== artifactsPlace || more.length > 0 || own.links.some(({ target }) => target.startsWith("/")))
    throw new DamagedError(
      `${join(attempt, "delta.json")} does not hold the artifacts that its record lists; restore it from a copy of the job.`,
    );
  await restoreDelta(delta, blobs, join(to, "delta"));
  await rename(join(to, "delta", "0", "files"), join(to, "artifacts"));
  const at = (path: string): string => join(to, "artifacts", path);
  try {
    // All folders before any link: nothing is made where a link leads.
    for (const { path } of own.links) await mkdir(dirname(at(path)), { recursive: true });
    for (const { path, target } of own.links) await symlink(target, at(path));
  } catch (error) {
    throw new DamagedError(`${join(attempt, "delta.json")} cannot be laid out: ${messageOf(error)}.`);
  }
}
