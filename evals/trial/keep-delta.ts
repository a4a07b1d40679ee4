import { copyFile, lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { codeOf, messageOf } from "../../harness/errors.ts";
import { readTree, TreeLimitError, type TreeLimits } from "../../harness/sandbox/tree.ts";
import type { DeltaRecord } from "../trial-record.ts";
import { writeJson } from "../write-json.ts";
import type { CollectedPath } from "./collect.ts";
import { leavesTree } from "./delta.ts";
import type { KeptDelta, KeptPath } from "./kept-delta.ts";
import type { AttemptSetting } from "./plan.ts";

/** What is kept of one declared path; beyond it the delta is left out as a whole, because a part of it could not be verified again. */
const keepLimits: TreeLimits = { entries: 20_000, bytes: 64 * 1024 ** 2, ms: 60_000 };

/** Where the job's blobs lie: contents by their SHA-256, once for all of its trials. */
export function blobsFolder(jobFolder: string): string {
  return join(jobFolder, "blobs");
}
export function blobPath(blobs: string, digest: string): string {
  return join(blobs, digest.slice(0, 2), digest);
}

/**
 * Keeps what was collected for a later regrade: `delta.json` in the attempt's folder, contents in the job's `blobs/`. The collected files are moved
 * there and the rest of their folders is removed, so this is the last use of them. Never throws: what cannot be kept is left out, and why is said.
 */
export async function keepDelta(
  collected: readonly CollectedPath[],
  { folder, trace }: Pick<AttemptSetting, "folder" | "trace">,
): Promise<DeltaRecord> {
  const blobs = blobsFolder(join(folder, relative(trace, ".")));
  try {
    const paths: KeptPath[] = [];
    for (const one of collected) {
      const { entries } = await readTree(join(one.folder, "files"), { limits: keepLimits, unlock: true });
      const { removed, refused } = one.delta;
      const away = one.delta.links.filter(({ path, target }) => leavesTree(path, target, one.base));
      const links = one.delta.links.filter((link) => !away.includes(link));
      if (entries.size + removed.length + links.length > keepLimits.entries)
        throw new TreeLimitError(`it has more than ${keepLimits.entries} entries`);
      const more = away.map(({ path, target }) => `${path}: a link to ${target}, which is another place in every sandbox`);
      const kept = { path: one.path, base: one.base, removed: [...removed], links, refused: [...refused, ...more] };
      const folders = [...entries].flatMap(([path, entry]) => (entry.type === "folder" ? [{ path, mode: entry.mode }] : []));
      const files = [...entries].flatMap(([path, entry]) =>
        entry.type === "file" ? [{ path, mode: entry.mode, digest: entry.digest }] : [],
      );
      paths.push({ ...kept, folders, files });
    }
    const bytes = await moveToBlobs(collected, paths, blobs);
    await writeJson(join(folder, "delta.json"), { v: 1, paths } satisfies KeptDelta);
    const files = paths.reduce((sum, path) => sum + path.files.length, 0);
    return { kept: true, paths: paths.map(({ path }) => path), files, bytes };
  } catch (error) {
    return leftOut(messageOf(error));
  } finally {
    for (const { folder: one } of collected) await rm(one, { recursive: true, force: true }).catch(() => undefined);
    await dropCollected({ folder });
  }
}

/** Removes what was collected of an attempt and is not kept: it may be as large as what an agent can write. */
export async function dropCollected({ folder }: Pick<AttemptSetting, "folder">): Promise<void> {
  await rm(join(folder, "delta"), { recursive: true, force: true }).catch(() => undefined);
}

export function leftOut(why: string): DeltaRecord {
  const clause = why.replaceAll(/\s+/g, " ").slice(0, 300).replace(/\.$/, "");
  return { kept: false, why: `What the agent changed was not kept: ${clause}.` };
}

/** Answers the bytes of all files. A blob that is there already is the same content. */
async function moveToBlobs(collected: readonly CollectedPath[], paths: readonly KeptPath[], blobs: string): Promise<number> {
  let bytes = 0;
  for (const [i, { files }] of paths.entries())
    for (const { path, digest } of files) {
      const from = join(collected[i]?.folder ?? "", "files", path);
      const to = blobPath(blobs, digest);
      const known = await lstat(to).catch(() => undefined);
      bytes += known?.size ?? (await lstat(from)).size;
      if (known?.isFile()) continue;
      await mkdir(dirname(to), { recursive: true });
      await move(from, to);
    }
  return bytes;
}

/** A reader sees the whole blob or none. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    await copyFile(from, `${to}.part`);
    await rename(`${to}.part`, to);
  }
}
