import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, messageOf } from "../../../harness/errors.ts";
import { readTree, type Tree } from "../../../harness/sandbox/workspace/tree.ts";
import type { DeltaRecord } from "../trial-record.ts";
import { leavesTree, type Delta } from "./diff-trees.ts";
import { keepLimits, keepTrees, leftOut } from "./store-delta.ts";
import { artifactsPlace } from "./lay-out-artifacts.ts";
import type { AttemptSetting } from "../trial-plan.ts";

/**
 * Keeps the artifacts of an attempt whose verifier had an environment of its own as deltas are kept: contents once a job, in its `blobs/`. `artifacts/` has the
 * manifest alone after it, so this is their last use. What no delta carries (links that turn back or lead out, more than is kept of a path), and what
 * cannot be kept just now, stays as it is, and is found there. Never throws.
 * @param digest of `artifacts/` as the verifier got them; undefined where they could not be read
 */
export async function keepArtifacts(digest: string | undefined, setting: Pick<AttemptSetting, "folder" | "trace">): Promise<DeltaRecord> {
  const alone = "the verifier has an environment of its own, which gets artifacts alone";
  if (digest === undefined) return leftOut(alone);
  const at = join(setting.folder, "artifacts");
  const stay = (why: string): DeltaRecord => ({ ...leftOut(`${alone}, and these stay in their folder: ${why}`), artifacts: digest });
  try {
    const tree = await readTree(at, { limits: keepLimits });
    const links = linksOf(tree);
    if (!links || tree.skipped.length > 0)
      return stay("they have links that turn back or lead out, or what is neither file, folder nor link");
    const delta = { removed: [], links, refused: [] };
    const kept = await keepTrees([{ path: artifactsPlace, base: artifactsPlace, delta, at, entries: tree.entries }], setting);
    await empty(at);
    return { ...kept, artifacts: digest };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { ...leftOut(alone), artifacts: digest }; // the agent left none
    return stay(messageOf(error)); // the verdict is there already
  }
}

/** Undefined where one of them is carried by no delta. */
function linksOf({ entries }: Tree): Delta["links"] | undefined {
  const links = [...entries].flatMap(([path, entry]) => (entry.type === "link" ? [{ path, target: entry.target }] : []));
  return links.some(({ path, target }) => target.startsWith("/") || leavesTree(path, target, artifactsPlace)) ? undefined : links;
}

/** What it had is kept, so that a part of it which cannot be removed costs room and nothing else. */
async function empty(artifacts: string): Promise<void> {
  for (const name of await readdir(artifacts).catch(() => []))
    if (name !== "manifest.json") await rm(join(artifacts, name), { recursive: true, force: true }).catch(() => undefined);
}
