import { realpath } from "node:fs/promises";
import { messageOf } from "../../errors.ts";
import { gitIgnored } from "./git-ignored.ts";
import { outsideWorkspace, readTree, treeHash, type Tree, type TreeLimits } from "./tree.ts";

/** The workspace hash, or null with the reason: one finished sentence. */
export type WorkspaceHash = { readonly hash: string } | { readonly hash: null; readonly why: string };

/** A folder beyond these is not hashed: a second or so on an ordinary machine. */
const workspaceLimits: TreeLimits = { entries: 20_000, bytes: 256 * 1024 ** 2, ms: 5_000 };

/** The workspace hash of a folder of this machine, as it is now. What git ignores is not even read, so that installed packages cost nothing. */
export async function hashFolder(folder: string, limits: TreeLimits = workspaceLimits): Promise<WorkspaceHash> {
  try {
    const top = await realpath(folder);
    const ignored = await gitIgnored(top, { above: true, timeoutMs: limits.ms });
    return { hash: treeHash(await readTree(top, { leaveOut: outsideWorkspace(ignored), limits })) };
  } catch (error) {
    return notTaken(error);
  }
}

/** The same of a copy that was read whole: `tree` is what `readTree(copy)` gave. */
export async function hashCopy(copy: string, tree: Tree): Promise<WorkspaceHash> {
  try {
    return { hash: treeHash(tree, await gitIgnored(copy)) };
  } catch (error) {
    return notTaken(error);
  }
}

const notTaken = (error: unknown): WorkspaceHash => ({
  hash: null,
  why: `The workspace hash was not taken: ${messageOf(error).replaceAll(/\s+/g, " ").slice(0, 300).replace(/\.$/, "")}.`,
});
