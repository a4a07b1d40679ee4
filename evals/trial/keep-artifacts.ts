import { copyFile, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../harness/errors.ts";
import { readTree, type Tree } from "../../harness/sandbox/tree.ts";
import type { DeltaRecord } from "../trial-record.ts";
import { leavesTree, type Delta } from "./delta.ts";
import { dropCollected, keepDelta, leftOut } from "./keep-delta.ts";
import { artifactsPlace } from "./kept-artifacts.ts";
import type { AttemptSetting } from "./plan.ts";

/**
 * Keeps the artifacts of an attempt whose verifier had an environment of its own as deltas are kept: contents once a job, in its `blobs/`, and no more than
 * of a declared path. `artifacts/` has the manifest alone after it, so this is their last use. Artifacts with links that no delta carries stay as they are. Never throws.
 * @param digest of `artifacts/` as the verifier got them; undefined where they could not be read
 */
export async function keepArtifacts(digest: string | undefined, setting: Pick<AttemptSetting, "folder" | "trace">): Promise<DeltaRecord> {
  const alone = leftOut("the verifier has an environment of its own, which gets artifacts alone");
  if (digest === undefined) return alone;
  const at = join(setting.folder, "artifacts");
  const after = await readTree(at).catch(() => undefined);
  const links = [...(after?.entries ?? [])].flatMap(([path, entry]) => (entry.type === "link" ? [{ path, target: entry.target }] : []));
  if (
    !after ||
    after.skipped.length > 0 ||
    links.some(({ path, target }) => target.startsWith("/") || leavesTree(path, target, artifactsPlace))
  )
    return { ...alone, artifacts: digest };
  try {
    const kept = await moved(at, { links, after }, setting);
    return kept.kept ? { ...kept, artifacts: digest } : kept;
  } catch (error) {
    await dropCollected(setting);
    return leftOut(messageOf(error)); // the verdict is there already
  }
}

async function moved(
  at: string,
  { links, after }: { readonly links: Delta["links"]; readonly after: Tree },
  setting: Pick<AttemptSetting, "folder" | "trace">,
): Promise<DeltaRecord> {
  const folder = join(setting.folder, "delta", "0");
  const manifest = join(setting.folder, "manifest.json.part");
  await mkdir(folder, { recursive: true });
  await copyFile(join(at, "manifest.json"), manifest);
  await rename(at, join(folder, "files"));
  const delta = { removed: [], written: [], links, refused: [] };
  const kept = await keepDelta([{ path: artifactsPlace, base: artifactsPlace, folder, delta, after }], setting);
  await mkdir(at);
  await rename(manifest, join(at, "manifest.json"));
  return kept;
}
