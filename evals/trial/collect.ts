import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { writeJson } from "../write-json.ts";
import { deltaBetween, type Delta } from "./delta.ts";
import { readTree, type Tree } from "./tree.ts";

/** What the agent changed under one declared path, kept in `folder`: `delta.json`, and `files/` with every written file. */
export interface CollectedPath {
  /** The declared path, in the container's terms. */
  readonly path: string;
  readonly folder: string;
  readonly delta: Delta;
  readonly after: Tree;
}

/** Copies the tree at `at` out of a sandbox and reads it; `use` may move files away before the copy is removed. */
export async function withTree<T>(
  sandbox: Sandbox,
  at: string,
  scratch: string,
  use: (tree: Tree, folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(scratch, { recursive: true });
  const copy = await mkdtemp(join(scratch, "tree-"));
  try {
    await sandbox.download(at, copy);
    return await use(await readTree(copy), copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Takes what the agent left at `at`, compares it with the pristine tree on this side, where the agent has no hand in it, and keeps the difference.
 * @param o.folder where to keep it; made here.
 */
export async function collectPath(o: {
  readonly sandbox: Sandbox;
  readonly path: string;
  readonly at: string;
  readonly pristine: Tree;
  readonly folder: string;
}): Promise<CollectedPath> {
  return withTree(o.sandbox, o.at, dirname(o.folder), async (after, copy) => {
    const delta = deltaBetween(o.pristine, after, o.at);
    const files = join(o.folder, "files");
    await mkdir(files, { recursive: true });
    const folders: [string, number][] = [];
    for (const path of foldersOf(delta.written)) await mkdir(join(files, path), { recursive: true });
    for (const path of delta.written) {
      const entry = after.entries.get(path);
      if (entry?.type === "file") await rename(join(copy, path), join(files, path));
      else await mkdir(join(files, path), { recursive: true });
    }
    for (const [path, entry] of after.entries) if (entry.type === "folder") folders.push([path, entry.mode]);
    for (const [path, mode] of folders.toReversed()) await chmod(join(files, path), mode).catch(() => undefined); // only those that were needed exist
    await writeJson(join(o.folder, "delta.json"), { v: 1, path: o.path, ...delta });
    return { path: o.path, folder: o.folder, delta, after };
  });
}

function foldersOf(paths: readonly string[]): Set<string> {
  return new Set(paths.flatMap((path) => (path.includes("/") ? [dirname(path)] : [])));
}
