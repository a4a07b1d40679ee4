import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "../../harness/config/canonical-json.ts";
import { sha256 } from "../../harness/events/hash.ts";

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

/** Reads a folder of this machine without following links. What is read was left by an agent: nothing in it is executed or trusted. */
export async function readTree(top: string): Promise<Tree> {
  const entries = new Map<string, TreeEntry>();
  const skipped: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    const names = await readdir(join(top, folder), { encoding: "buffer" });
    for (const bytes of names.toSorted(Buffer.compare)) {
      const name = bytes.toString("utf8");
      const path = folder === "" ? name : `${folder}/${name}`;
      if (!Buffer.from(name, "utf8").equals(bytes)) skipped.push(path);
      else if (!(await add(path))) skipped.push(path);
    }
  };
  const add = async (path: string): Promise<boolean> => {
    const at = join(top, path);
    const stat = await lstat(at);
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink()) entries.set(path, { type: "link", target: await readlink(at) });
    else if (stat.isFile()) entries.set(path, { type: "file", mode, digest: await digestFile(at) });
    else if (stat.isDirectory()) {
      entries.set(path, { type: "folder", mode });
      await visit(path);
    } else return false;
    return true;
  };
  await visit("");
  return { entries, skipped };
}

/** SHA-256 in hex over paths, modes, contents and link targets. A repository's own `.git` folder is left out: its bytes differ for equal content. */
export function treeHash(tree: Tree): string {
  return sha256(canonicalJson([...tree.entries].filter(([path]) => path !== ".git" && !path.startsWith(".git/"))));
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array); // a stream without an encoding gives bytes
  return hash.digest("hex");
}
