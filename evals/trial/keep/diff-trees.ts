import { turnsBack } from "../../../harness/sandbox/workspace/pack-folder.ts";
import { posix } from "node:path";
import type { Tree, TreeEntry } from "../../../harness/sandbox/workspace/tree.ts";

/** What has to be done to one tree to get another. Paths are relative to the top. */
export interface Delta {
  /** To be removed first, with all below them: gone, or of another type now. Parents only. */
  readonly removed: readonly string[];
  /** Files and folders that are new or differ, parents first. */
  readonly written: readonly string[];
  /** Links that are new or differ. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Left out, each with its reason. */
  readonly refused: readonly string[];
}

/**
 * The way from `before` to `after`. A link that leads out of the tree at `top` (absolute, inside the container) is refused: it would let the
 * verifier read or write what the agent was not to touch. So is what is neither file, folder nor link.
 */
export function deltaBetween(before: Tree, after: Tree, top: string): Delta {
  const removed: string[] = [];
  const gone = new Set<string>();
  const written: string[] = [];
  const links: { path: string; target: string }[] = [];
  const refused = after.skipped.map((path) => `${path}: neither file, folder nor link, or without a readable name`);
  /** An archive that a tree came in spells a name that is no text with this character: a delta would make another name of it. */
  const spelled = (path: string): boolean => {
    if (path.includes("\uFFFD")) refused.push(`${path}: without a readable name`);
    return !path.includes("\uFFFD");
  };
  for (const [path, was] of before.entries) {
    const is = after.entries.get(path);
    if (is?.type === was.type && !(was.type === "link" && !same(was, is))) continue;
    if (!spelled(path)) continue;
    if (!isBelow(gone, path)) removed.push(path);
    gone.add(path);
  }
  for (const [path, is] of after.entries) {
    const was = before.entries.get(path);
    if ((was && same(was, is)) || !spelled(path)) continue;
    if (is.type !== "link") written.push(path);
    else if (leavesTree(path, is.target, top)) refused.push(`${path}: a link to ${is.target}, outside ${top}`);
    else links.push({ path, target: is.target });
  }
  return { removed, written, links, refused };
}

/** Whether the folder that `path` lies in is among them; parents come first. */
const isBelow = (gone: ReadonlySet<string>, path: string): boolean => gone.has(posix.dirname(path));

function same(a: TreeEntry, b: TreeEntry): boolean {
  if (a.type === "link") return b.type === "link" && a.target === b.target;
  if (b.type === "link" || a.mode !== b.mode) return false;
  return a.type === "file" ? b.type === "file" && a.digest === b.digest : b.type === "folder";
}

/**
 * Judged by the text of the target. That is sound only without `..` behind a name, which is refused: a name may be a link itself, and `..` is then
 * taken from where that leads. Without it a link into the tree that meets another link there meets one that was judged too.
 */
export function leavesTree(path: string, target: string, top: string): boolean {
  if (turnsBack(target)) return true;
  const resolved = posix.resolve(top, posix.dirname(path), target);
  return resolved !== top && !resolved.startsWith(top === "/" ? "/" : `${top}/`);
}
