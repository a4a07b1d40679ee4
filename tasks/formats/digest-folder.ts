import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { breather } from "../../harness/breather.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { hashFile } from "../../harness/hash/hash-file.ts";
import type { TreeEntry } from "./check/check-tree.ts";

/** Up to here a file is read at once: a suite has thousands of small ones, and each promise costs several times what the call does. */
const smallBytes = 64 * 1024;

/** One file of a folder: its path with forward slashes, SHA-256 of its content (of its target for a link), and its executable bit. */
export interface FileDigest {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly sha256: string;
  readonly executable: boolean;
}

/** Every file and link below a folder, sorted by the bytes of its path. Large files are streamed; links are not followed. */
export async function listFiles(folder: string): Promise<FileDigest[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return digestsOf(
    folder,
    paths.map((path) => ({ path, stat: lstatSync(path) })),
  );
}

async function digestsOf(folder: string, entries: readonly TreeEntry[]): Promise<FileDigest[]> {
  const files: (FileDigest & { readonly bytes: Buffer })[] = [];
  const breathe = breather();
  for (const { path, stat } of entries) {
    await breathe();
    const name = relative(folder, path).split(sep).join("/");
    const of = { path: name, bytes: Buffer.from(name) };
    if (stat.isSymbolicLink()) {
      files.push({ ...of, kind: "link", sha256: sha256(readlinkSync(path)), executable: false });
    } else if (stat.isFile()) {
      const content = stat.size <= smallBytes ? sha256(readFileSync(path)) : (await hashFile(path)).sha256;
      files.push({ ...of, kind: "file", sha256: content, executable: (stat.mode & 0o100) !== 0 });
    }
  }
  return files.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ bytes: _, ...file }) => file);
}

/**
 * SHA-256 over path, content and executable bit of every file of a folder. Two checkouts of the same files agree, whatever their times. `entries`: its files,
 * where someone has just looked through it.
 */
export async function digestFolder(folder: string, entries?: readonly TreeEntry[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of entries ? await digestsOf(folder, entries) : await listFiles(folder)) {
    hash.update(`${JSON.stringify([file.path, file.kind, file.sha256, file.executable])}\n`);
  }
  return hash.digest("hex");
}
