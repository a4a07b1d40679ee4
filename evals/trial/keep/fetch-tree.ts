import { lstat, mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf } from "../../../harness/errors.ts";
import { SandboxPathError, type Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import { readTree, type Tree } from "../../../harness/sandbox/workspace/tree.ts";

/** A path of a sandbox, read on this side. `file`: the tree has one entry with the path's own name. `nothing`: missing, or a link in its place. */
export interface FetchedTree {
  readonly kind: "folder" | "file" | "nothing";
  readonly tree: Tree;
  /** Of its files, holes counted in full; where it was asked for. */
  readonly bytes?: number;
}

/**
 * Copies what lies at `at` out of a sandbox and reads it; `use` may move files away before the copy is removed.
 * @param scratch a folder of this machine for the copy
 * @param o.maxBytes what is larger is refused before it is written here; a file's holes count too. Default 4 GiB.
 * @param o.maxEntries the same of files, folders and links; default 500,000
 * @param o.measure answers the tree's bytes as well
 * @throws SandboxPathError for a tree that is too large or whose archive is hostile
 */
export async function fetchTree<T>(
  sandbox: Sandbox,
  at: string,
  scratch: string,
  use: (fetched: FetchedTree, copy: string) => Promise<T>,
  o: { readonly maxBytes?: number; readonly maxEntries?: number; readonly measure?: boolean } = {},
): Promise<T> {
  const { maxBytes, maxEntries } = o;
  const limits = { ...(maxBytes === undefined ? {} : { maxBytes }), ...(maxEntries === undefined ? {} : { maxEntries }) };
  await mkdir(scratch, { recursive: true });
  const copy = await mkdtemp(join(scratch, "tree-"));
  try {
    const kind = await kindOf(sandbox, at);
    if (kind !== "nothing") await sandbox.download(at, copy, limits).catch(refuseLongNames);
    const tree = await readTree(copy, { unlock: true });
    return await use({ kind, tree, ...(o.measure ? { bytes: await bytesOf(tree, copy) } : {}) }, copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** A path that fits into the sandbox may be too long behind our own folder's: the agent's doing, not the machinery's. */
function refuseLongNames(error: unknown): never {
  if (codeOf(error) === "ENAMETOOLONG") throw new SandboxPathError("What was left has paths that are too long to be copied.");
  throw error;
}

async function bytesOf(tree: Tree, copy: string): Promise<number> {
  let bytes = 0;
  for (const [path, { type }] of tree.entries) if (type === "file") bytes += (await lstat(join(copy, path))).size;
  return bytes;
}

async function kindOf(sandbox: Sandbox, at: string): Promise<FetchedTree["kind"]> {
  const path = quote(at);
  const asked = `if [ -L ${path} ]; then echo nothing; elif [ -d ${path} ]; then echo folder; elif [ -f ${path} ]; then echo file; else echo nothing; fi`;
  const said = new TextDecoder().decode((await sandbox.exec(asked, { cwd: "/", timeoutMs: 20_000 })).stdout).trim();
  if (said === "folder" || said === "file" || said === "nothing") return said;
  throw new SandboxPathError(`Could not find out what is at ${at}.`);
}

/** The same tree seen from the parent of its top, whose name is `path`'s. */
export function fromParent({ kind, tree }: FetchedTree, path: string): Tree {
  const name = basename(path);
  if (kind !== "folder") return tree;
  const inside = [...tree.entries].map(([entry, value]) => [`${name}/${entry}`, value] as const);
  return {
    entries: new Map([[name, { type: "folder", mode: 0o755 }], ...inside]),
    skipped: tree.skipped.map((entry) => `${name}/${entry}`),
  };
}
