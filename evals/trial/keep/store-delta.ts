import { randomUUID } from "node:crypto";
import { copyFile, link, lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { messageOf } from "../../../harness/errors.ts";
import { readTree, TreeLimitError, type Tree, type TreeLimits } from "../../../harness/sandbox/workspace/tree.ts";
import type { DeltaRecord } from "../trial-record.ts";
import { writeJson } from "../../../harness/files/write-json.ts";
import type { CollectedPath } from "./collect-changes.ts";
import { leavesTree, type Delta } from "./diff-trees.ts";
import type { KeptDelta, KeptPath } from "./delta-file.ts";
import type { AttemptSetting } from "../trial-plan.ts";

/** What is kept of one path, and where its files lie. */
export interface TreeToKeep {
  readonly path: string;
  readonly base: string;
  readonly delta: Pick<Delta, "removed" | "links" | "refused">;
  /** The folder of the files, and what lies there. */
  readonly at: string;
  readonly entries: Tree["entries"];
}

/** What is kept of one declared path; beyond it the delta is left out as a whole, because a part of it could not be verified again. */
export const keepLimits: TreeLimits = { entries: 20_000, bytes: 64 * 1024 ** 2, ms: 60_000 };

/** Where the job's blobs lie: contents by their SHA-256, once for all of its trials. */
export function blobsFolder(jobFolder: string): string {
  return join(jobFolder, "blobs");
}
export function blobPath(blobs: string, digest: string): string {
  return join(blobs, digest.slice(0, 2), digest);
}

/**
 * Keeps what was collected for a later regrade: `delta.json` in the attempt's folder, contents in the job's `blobs/`. The collected files are
 * moved there and the rest of their folders is removed, so this is the last use of them. Never throws: what cannot be kept is left out, and why is said.
 */
export async function keepDelta(
  collected: readonly CollectedPath[],
  setting: Pick<AttemptSetting, "folder" | "trace">,
): Promise<DeltaRecord> {
  try {
    const trees: TreeToKeep[] = [];
    for (const { path, base, delta, folder } of collected) {
      const at = join(folder, "files");
      trees.push({ path, base, delta, at, entries: (await readTree(at, { limits: keepLimits, unlock: true })).entries });
    }
    return await keepTrees(trees, setting);
  } catch (error) {
    return leftOut(messageOf(error));
  } finally {
    for (const { folder: one } of collected) await rm(one, { recursive: true, force: true }).catch(() => undefined);
    await dropCollected(setting);
  }
}

/**
 * Writes `delta.json`, with the contents in the job's `blobs/`. The files stay where they are too, so that nothing is lost where it throws; the caller removes them.
 * @throws TreeLimitError for more entries than are kept, and what the machine throws
 */
export async function keepTrees(
  trees: readonly TreeToKeep[],
  { folder, trace }: Pick<AttemptSetting, "folder" | "trace">,
): Promise<DeltaRecord & { kept: true }> {
  const paths = trees.map(({ path, base, delta, entries }): KeptPath => {
    const { removed, refused } = delta;
    const away = delta.links.filter((link) => leavesTree(link.path, link.target, base));
    const links = delta.links.filter((link) => !away.includes(link));
    if (entries.size + removed.length + links.length > keepLimits.entries)
      throw new TreeLimitError(`it has more than ${keepLimits.entries} entries`);
    const more = away.map((link) => `${link.path}: a link to ${link.target}, which is another place in every sandbox`);
    const folders = [...entries].flatMap(([at, entry]) => (entry.type === "folder" ? [{ path: at, mode: entry.mode }] : []));
    const files = [...entries].flatMap(([at, entry]) =>
      entry.type === "file" ? [{ path: at, mode: entry.mode, digest: entry.digest }] : [],
    );
    return { path, base, removed: [...removed], links, refused: [...refused, ...more], folders, files };
  });
  const bytes = await toBlobs(trees, paths, blobsFolder(join(folder, relative(trace, "."))));
  await writeJson(join(folder, "delta.json"), { v: 1, paths } satisfies KeptDelta);
  const files = paths.reduce((sum, path) => sum + path.files.length, 0);
  return { kept: true, paths: paths.map(({ path }) => path), files, bytes };
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
async function toBlobs(trees: readonly TreeToKeep[], paths: readonly KeptPath[], blobs: string): Promise<number> {
  let bytes = 0;
  for (const [i, { files }] of paths.entries())
    for (const { path, digest } of files) {
      const from = join(trees[i]?.at ?? "", path);
      const to = blobPath(blobs, digest);
      const known = await lstat(to).catch(() => undefined);
      bytes += known?.size ?? (await lstat(from)).size;
      if (known?.isFile()) continue;
      await mkdir(dirname(to), { recursive: true });
      await link(from, to).catch(() => copy(from, to)); // another file system, or one without links
    }
  return bytes;
}

/** A reader sees the whole blob or none. */
async function copy(from: string, to: string): Promise<void> {
  const part = `${to}.${randomUUID()}.part`;
  try {
    await copyFile(from, part);
    await rename(part, to);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
