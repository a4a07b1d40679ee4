import { renameSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { breather } from "../../../harness/breather.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { writeJson } from "../../../harness/files/write-json.ts";
import { deltaBetween, type Delta } from "./diff-trees.ts";
import { fetchTree, fromParent, type FetchedTree } from "./fetch-tree.ts";
import type { Tree } from "../../../harness/sandbox/workspace/tree.ts";
import { hashCopy, type WorkspaceHash } from "../../../harness/sandbox/workspace/workspace-hash.ts";

/** What the agent changed under one declared path, kept in `folder`: `delta.json`, and `files/` with every written file. */
export interface CollectedPath {
  /** The declared path, in the container's terms. */
  readonly path: string;
  /** What the delta's paths are relative to, in the container's terms: the declared path, or its parent where that is or was a file. */
  readonly base: string;
  readonly folder: string;
  readonly delta: Delta;
  readonly after: Tree;
  /** Where it was asked for. */
  readonly workspace?: WorkspaceHash;
}

/**
 * Takes what the agent left at `at`, compares it with the pristine tree on this side, where the agent has no hand in it, and keeps the difference.
 * @param o.folder where to keep it; made here.
 * @throws SandboxPathError for what cannot be carried anywhere, or has more bytes or entries than it may
 */
export async function collectPath(o: {
  readonly sandbox: Sandbox;
  readonly path: string;
  readonly at: string;
  readonly pristine: FetchedTree;
  readonly folder: string;
  /** The path is the workdir: its workspace hash is taken. */
  readonly isWorkdir?: boolean;
  /** Takes from the difference what is not the agent's; `base` is what its paths are relative to. */
  readonly leave?: (delta: Delta, base: string, before: Tree) => Delta;
  /** More than these is not copied. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}): Promise<CollectedPath> {
  const keep = async (fetched: FetchedTree, copy: string): Promise<CollectedPath> => {
    const workspace = o.isWorkdir ? { workspace: await hashCopy(copy, fetched.tree) } : {};
    const asFile = fetched.kind === "file" || o.pristine.kind === "file";
    const before = asFile ? fromParent(o.pristine, o.path) : o.pristine.tree;
    const after = asFile ? fromParent(fetched, o.path) : fetched.tree;
    const base = asFile ? posix.dirname(o.path) : o.path;
    const difference = deltaBetween(before, after, asFile ? posix.dirname(o.at) : o.at);
    const delta = o.leave?.(difference, base, before) ?? difference;
    const source =
      asFile && fetched.kind === "folder"
        ? (path: string) => join(copy, posix.relative(posix.basename(o.path), path))
        : (path: string) => join(copy, path);
    await keepFiles(join(o.folder, "files"), delta, after, source);
    await writeJson(join(o.folder, "delta.json"), { v: 1, path: o.path, base, ...delta });
    return { path: o.path, base, folder: o.folder, delta, after: fetched.tree, ...workspace };
  };
  return fetchTree(o.sandbox, o.at, dirname(o.folder), keep, { maxBytes: o.maxBytes, maxEntries: o.maxEntries });
}

/** Moves the written files to `files`, with every folder on their way and its mode, and nothing else. */
async function keepFiles(files: string, delta: Delta, after: Tree, source: (path: string) => string): Promise<void> {
  await mkdir(files, { recursive: true });
  const folders = new Set(["."]);
  const breathe = breather();
  for (const path of delta.written) {
    const isFile = after.entries.get(path)?.type === "file";
    const folder = isFile ? posix.dirname(path) : path;
    if (!folders.has(folder)) await mkdir(join(files, folder), { recursive: true });
    for (let at = folder; !folders.has(at); at = posix.dirname(at)) folders.add(at);
    if (isFile) renameSync(source(path), join(files, path));
    await breathe();
  }
  for (const path of folders) {
    const entry = after.entries.get(path);
    if (entry?.type === "folder") await chmod(join(files, path), entry.mode | 0o700);
  }
}
