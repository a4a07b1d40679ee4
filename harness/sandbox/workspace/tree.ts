import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { chmod, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { breather } from "../../breather.ts";
import { canonicalJson } from "../../hash/canonical-json.ts";
import { sha256 } from "../../hash/sha256.ts";

/** One entry of a tree. `mode`: permission bits. */
export type TreeEntry =
  | { readonly type: "file"; readonly mode: number; readonly digest: string }
  | { readonly type: "folder"; readonly mode: number }
  | { readonly type: "link"; readonly target: string };

/** Entries by path relative to the tree's top, parents before children. `skipped`: what is neither file, folder nor link, or has no UTF-8 name. */
export interface Tree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly skipped: readonly string[];
}

export interface ReadTreeOptions {
  /** Paths relative to the top that are not read, nor what lies below them. */
  readonly leaveOut?: (path: string) => boolean;
  /** Beyond these a `TreeLimitError` is thrown, before any content is read where entries or bytes are too many. */
  readonly limits?: TreeLimits;
  /** The tree is a copy of our own: a file that its mode keeps from us is made readable. Its entry keeps the mode it had. */
  readonly unlock?: boolean;
}

/** `ms`: milliseconds that reading may take. */
export interface TreeLimits {
  readonly entries: number;
  readonly bytes: number;
  readonly ms: number;
}

/** A tree that is larger than what may be read. The message is one clause: "it has more than 20000 entries". */
export class TreeLimitError extends Error {
  override readonly name = "TreeLimitError";
}

/** Files read at a time. */
const parallel = 8;
/** A file of so many bytes is read at a stroke: a stream for each of many small ones costs more than all else. */
const smallBytes = 64 * 1024;

/** Reads a folder of this machine without following links. What is read was left by an agent: nothing in it is executed or trusted. */
export async function readTree(top: string, o: ReadTreeOptions = {}): Promise<Tree> {
  const entries = new Map<string, TreeEntry>();
  const skipped: string[] = [];
  const files: { path: string; stat: Stats }[] = [];
  const check = limitCheck(o.limits);
  const breathe = breather();
  const visit = async (folder: string): Promise<void> => {
    const names = await readdir(join(top, folder), { encoding: "buffer" });
    for (const bytes of names.toSorted(Buffer.compare)) {
      const name = bytes.toString("utf8");
      const path = folder === "" ? name : `${folder}/${name}`;
      if (o.leaveOut?.(path)) continue;
      if (!Buffer.from(name, "utf8").equals(bytes)) skipped.push(path);
      else if (!(await add(path))) skipped.push(path);
    }
  };
  const add = async (path: string): Promise<boolean> => {
    await breathe();
    const stat = lstatSync(join(top, path));
    check({ entries: 1, bytes: stat.isFile() ? stat.size : 0 });
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink()) entries.set(path, { type: "link", target: await readlink(join(top, path)) });
    else if (stat.isFile()) {
      entries.set(path, { type: "file", mode, digest: "" }); // its place among the others; the digest follows
      files.push({ path, stat });
    } else if (stat.isDirectory()) {
      entries.set(path, { type: "folder", mode });
      await visit(path);
    } else return false;
    return true;
  };
  await visit("");
  const reader = async (): Promise<void> => {
    for (let file = files.pop(); file; file = files.pop()) {
      const { path, stat } = file;
      check({ entries: 0, bytes: 0 });
      await breathe();
      const digest = await digestFile(join(top, path), stat, o.unlock === true);
      entries.set(path, { type: "file", mode: stat.mode & 0o7777, digest });
    }
  };
  await Promise.all(Array.from({ length: parallel }, reader));
  return { entries, skipped };
}

/**
 * SHA-256 in hex over paths, modes, contents and link targets: the workspace hash. Left out: `.git` wherever it lies, because its bytes differ for
 * equal content, `.forge` at the top, where Forge itself writes, and `ignored` (see `gitIgnored`) with all below.
 */
export function treeHash(tree: Tree, ignored: readonly string[] = []): string {
  const leaveOut = outsideWorkspace(ignored);
  return sha256(canonicalJson([...tree.entries].filter(([path]) => !leaveOut(path))));
}

/** Tells which paths the workspace hash does not cover. */
export function outsideWorkspace(ignored: readonly string[]): (path: string) => boolean {
  const names = new Set(ignored);
  return (path) => {
    if (path === ".forge" || path.startsWith(".forge/") || /(^|\/)\.git(\/|$)/.test(path)) return true;
    if (names.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) if (names.has(path.slice(0, end))) return true;
    return false;
  };
}

function limitCheck(limits: ReadTreeOptions["limits"]): (more: { entries: number; bytes: number }) => void {
  if (!limits) return () => undefined;
  const end = performance.now() + limits.ms;
  const sum = { entries: 0, bytes: 0 };
  return ({ entries, bytes }) => {
    sum.entries += entries;
    sum.bytes += bytes;
    if (sum.entries > limits.entries) throw new TreeLimitError(`it has more than ${limits.entries} entries`);
    if (sum.bytes > limits.bytes) throw new TreeLimitError(`it has more than ${Math.round(limits.bytes / 1024 ** 2)} MiB`);
    if (performance.now() > end) throw new TreeLimitError(`reading it took longer than ${limits.ms} ms`);
  };
}

/** Never waits on a pipe, never follows a link that took the file's place, and never reads more than the file had when it was listed. */
async function digestFile(path: string, { mode, size }: Stats, unlock: boolean): Promise<string> {
  if (unlock && (mode & 0o400) === 0) await chmod(path, (mode & 0o777) | 0o400);
  if (size <= smallBytes) return digestSmall(path, size);
  const file = await open(path, readOnly);
  try {
    const hash = createHash("sha256");
    if (!(await file.stat()).isFile()) throw replaced(path);
    for await (const chunk of file.createReadStream({ start: 0, end: size - 1, autoClose: false })) hash.update(chunk as Uint8Array); // a stream without an encoding gives bytes
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}

function digestSmall(path: string, size: number): string {
  const file = openSync(path, readOnly);
  try {
    if (!fstatSync(file).isFile()) throw replaced(path);
    const content = Buffer.allocUnsafe(size);
    return sha256(content.subarray(0, readSync(file, content, 0, size, 0)));
  } finally {
    closeSync(file);
  }
}

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const replaced = (path: string): Error => new Error(`${JSON.stringify(path)} was replaced while it was read`);
