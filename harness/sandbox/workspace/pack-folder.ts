import {
  closeSync,
  createReadStream,
  createWriteStream,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { chmod, link, lstat, mkdir, symlink } from "node:fs/promises";
import { dirname, join, posix, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import tar from "tar-stream";
import { breather } from "../../breather.ts";
import { codeOf, messageOf } from "../../errors.ts";
import { SandboxPathError, type DownloadOptions } from "../sandbox.ts";

export interface HostEntry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly type: "file" | "folder" | "link";
  readonly mode: number;
  readonly bytes: number;
  readonly target?: string;
}

/** What a folder of the host holds, sorted by path; devices, pipes and sockets are left out. @throws SandboxPathError for a link that leaves the folder. */
export async function listHostFolder(folder: string): Promise<HostEntry[]> {
  const entries: HostEntry[] = [];
  const breathe = breather();
  const walk = async (at: string): Promise<void> => {
    for (const name of readdirSync(join(folder, at)).sort()) {
      await breathe();
      const path = at === "" ? name : `${at}/${name}`;
      const stat = lstatSync(join(folder, path));
      const mode = stat.mode & 0o777;
      if (stat.isDirectory()) {
        entries.push({ path, type: "folder", mode, bytes: 0 });
        await walk(path);
      } else if (stat.isSymbolicLink()) {
        const target = readlinkSync(join(folder, path));
        if (linkLeaves(path, target))
          throw new SandboxPathError(`${join(folder, path)} is a link to ${target}, outside its folder; it is not copied.`);
        entries.push({ path, type: "link", mode, bytes: 0, target });
      } else if (stat.isFile()) entries.push({ path, type: "file", mode, bytes: stat.size });
    }
  };
  await walk("");
  return entries;
}

/**
 * Whether a link at `path` of a folder can lead out of it. A `..` behind a name is refused whatever it seems to reach: that name may be a link, and
 * then the text of the target says nothing of where it leads.
 */
export function linkLeaves(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || turnsBack(target)) return true;
  const lands = posix.normalize(posix.join(posix.dirname(path), target));
  return lands === ".." || lands.startsWith("../");
}

/** True for a target with `..` behind a named component. */
export function turnsBack(target: string): boolean {
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const named = parts.findIndex((part) => part !== "..");
  return named >= 0 && parts.slice(named).includes("..");
}

/** A tar stream of a folder's content under `prefix`, with `extra` files. Times and owners are left at zero, so that the same files give the same bytes. */
export function packFolder(
  folder: string,
  entries: readonly HostEntry[],
  prefix = "",
  extra: readonly { path: string; content: string }[] = [],
): tar.Pack {
  const pack = tar.pack();
  const write = async () => {
    const fixed = { uid: 0, gid: 0, mtime: new Date(0) };
    for (const { path, content } of extra) pack.entry({ ...fixed, name: prefix + path, mode: 0o644 }, content);
    for (const entry of entries) {
      const header = { ...fixed, name: prefix + entry.path, mode: entry.mode };
      if (entry.type === "folder") pack.entry({ ...header, type: "directory" });
      else if (entry.type === "link") pack.entry({ ...header, type: "symlink", linkname: entry.target ?? "" });
      else if (entry.bytes <= smallBytes) await added(pack, { ...header, type: "file" }, readFileSync(join(folder, entry.path)));
      else await pipeline(createReadStream(join(folder, entry.path)), pack.entry({ ...header, type: "file", size: entry.bytes }));
    }
    pack.finalize();
  };
  write().catch((error: unknown) => pack.destroy(error instanceof Error ? error : new Error(messageOf(error))));
  return pack;
}

/** A file of so many bytes is read or written at a stroke: a stream for each of many small ones costs twenty times as much. */
const smallBytes = 64 * 1024;

/** Answers when there is room for the next one. */
function added(pack: tar.Pack, header: Parameters<tar.Pack["entry"]>[0], content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sink = pack.entry(header, content);
    sink.once("finish", resolve).once("error", reject).once("close", resolve); // closed without an end: so is the archive, and the next entry fails
  });
}

const generous = { maxBytes: 4 * 1024 ** 3, maxEntries: 500_000 };

/**
 * Unpacks an archive made inside a sandbox into an empty host folder. Its content is hostile: a path that leaves the folder or passes a link is refused,
 * nothing that exists is overwritten, devices are skipped, links are made and never followed, set-id bits are dropped.
 * `rename` gives the path an entry has in the folder, or undefined to leave it out. @throws SandboxPathError
 */
export async function extractInto(
  archive: NodeJS.ReadableStream,
  folder: string,
  rename: (name: string) => string | undefined,
  o: DownloadOptions = {},
): Promise<void> {
  const { maxBytes, maxEntries, leaveOut } = { leaveOut: () => false, ...generous, ...o };
  const extract = tar.extract();
  const done = pipeline(archive, extract);
  done.catch(() => {});
  let bytes = 0;
  let entries = 0;
  const folders: { path: string; mode: number }[] = [];
  /** Nothing that was made here becomes anything else, so a folder is looked at once. */
  const known = new Set([folder]);
  for await (const entry of extract) {
    const { name, type, mode, size, linkname } = entry.header;
    const path = rename(name);
    if (path !== undefined && leaveOut(path.replace(/\/+$/, ""))) {
      entry.resume();
      continue;
    }
    bytes += size;
    const over = ++entries > maxEntries ? `${maxEntries} entries` : bytes > maxBytes ? `${maxBytes} bytes` : undefined;
    if (over !== undefined) throw new SandboxPathError(`What is copied out of the sandbox has more than ${over}; it is refused.`);
    if (path !== undefined && path !== "") {
      const target = await safeTarget(folder, path, known);
      const bits = mode & 0o777;
      if (type === "directory") {
        await mkdir(target).catch(ignoreExisting);
        folders.push({ path: target, mode: bits });
      } else if (type === "symlink") await symlink(linkname ?? "", target);
      else if (type === "link") await hardLink(folder, rename(linkname ?? ""), target, known);
      else if ((type === "file" || type === "contiguous-file") && size <= smallBytes) {
        const parts: Uint8Array[] = [];
        if (size > 0) for await (const part of entry) parts.push(part as Uint8Array); // a stream without an encoding gives bytes
        writeNew(target, parts, bits);
      } else if (type === "file" || type === "contiguous-file") {
        await pipeline(entry, createWriteStream(target, { flags: "wx", mode: bits | 0o600 }));
        await chmod(target, bits);
      }
    }
    entry.resume();
  }
  await done;
  // Last, because a folder that may not be written could not be filled.
  for (const { path, mode } of folders.reverse()) await chmod(path, mode | 0o700);
}

/** Where an entry goes: inside the folder, all parents true folders, itself not there yet (or a folder). */
async function safeTarget(folder: string, path: string, known: Set<string>): Promise<string> {
  const normal = posix.normalize(path).replace(/\/+$/, "");
  if (posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../") || normal.includes("\0"))
    throw new SandboxPathError(`An archive from the sandbox names ${JSON.stringify(path)}, which leaves its folder; it is refused.`);
  const target = join(folder, normal);
  if (known.has(dirname(target))) return target;
  const parents = relative(folder, dirname(target)).split(sep).filter(Boolean);
  let at = folder;
  for (const part of parents) {
    at = join(at, part);
    await mkdir(at).catch(ignoreExisting);
    if (!(await lstat(at)).isDirectory())
      throw new SandboxPathError(`An archive from the sandbox passes the link ${JSON.stringify(path)}; it is refused.`);
    known.add(at);
  }
  return target;
}

/** In place of what exists nothing is written. */
function writeNew(target: string, parts: readonly Uint8Array[], mode: number): void {
  const file = openSync(target, "wx", 0o600);
  try {
    for (const part of parts) writeFileSync(file, part);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

async function hardLink(folder: string, name: string | undefined, target: string, known: Set<string>): Promise<void> {
  if (name === undefined) return;
  const source = await safeTarget(folder, name, known);
  if (!(await lstat(source)).isFile())
    throw new SandboxPathError(`An archive from the sandbox links to ${JSON.stringify(name)}, which is no file; it is refused.`);
  await link(source, target);
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}
