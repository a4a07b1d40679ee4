import { posix } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import tar from "tar-stream";
import { InfraError, messageOf } from "../../../errors.ts";
import type { SystemListing } from "./image-places.ts";
import { mergeAccounts } from "./merge-accounts.ts";
import type { FileChange, SystemRepair } from "./system-places.ts";

const kinds = ["changed", "added", "removed"] as const;

/** What differs from the image, as the engine sees it. */
export async function changesOf(container: Docker.Container): Promise<FileChange[]> {
  // The type in @types/dockerode is empty; this is what the engine answers. For nothing it says null, which arrives as the bytes of that word.
  const answer: unknown = await container.changes();
  const found = Array.isArray(answer) ? (answer as { Path: string; Kind: number }[]) : [];
  return found.map(({ Path: path, Kind }) => ({ path, kind: kinds[Kind] ?? "changed" }));
}

/** More is no repair but another image. */
const maxBytes = 1024 ** 3;

type Entry = Partial<tar.Header> & { readonly name: string; readonly content?: Buffer };

/**
 * Makes `target` as `repair` says, without running anything in it: files come from `pristine` (a container of the image) by the engine, folders that
 * have become something else are folders again, with the image's owner and mode, lists of accounts are merged, and what is to go becomes an empty file that
 * nobody can run. `rm` may remove those afterwards.
 */
export async function restoreSystem(
  target: Docker.Container,
  pristine: Docker.Container,
  repair: SystemRepair,
  image: SystemListing,
): Promise<readonly string[]> {
  const replaced = await replacedFolders(target, repair.restore, image);
  const isFolderOfImage = (path: string): boolean => image.entries.get(path)?.type === "d";
  const tops = [...repair.whole, ...repair.restore.filter((path) => !isFolderOfImage(path) || replaced.has(path))];
  const links: string[] = [];
  for (const path of repair.folders) if (!(await isFolder(target, path))) links.push(path);
  const gone = withoutInner([...repair.remove, ...links].filter((path) => ![...replaced].some((folder) => path.startsWith(`${folder}/`))));
  const folders = repair.restore.filter((path) => isFolderOfImage(path) && !withinAny(path, replaced));
  const entries: Entry[] = foldersOf([...parentsOf([...tops, ...gone, ...repair.accounts], image), ...folders], image);
  let bytes = 0;
  for (const path of withoutInner(tops))
    for (const entry of await entriesAt(pristine, path)) {
      bytes += entry.content?.length ?? 0;
      if (bytes > maxBytes) throw new InfraError("More than 1 GiB of the image's own files was changed; they are not restored.");
      entries.push(entry);
    }
  for (const path of repair.accounts) entries.push(await mergedAt(path, target, pristine));
  for (const path of gone) entries.push({ name: path.slice(1), type: "file", mode: 0, mtime: new Date(0), content: Buffer.alloc(0) });
  if (entries.length > 0)
    await target.putArchive(Readable.from(packed(entries)), { path: "/" }).catch((error: unknown) => {
      throw new InfraError(`The image's own files could not be restored: ${messageOf(error)}.`);
    });
  return gone;
}

const withinAny = (path: string, tops: ReadonlySet<string>): boolean => [...tops].some((top) => path === top || path.startsWith(`${top}/`));

/** More lines than that no list of accounts has: then the image's is taken. */
const maxAccountBytes = 4 * 1024 ** 2;

async function mergedAt(path: string, target: Docker.Container, pristine: Docker.Container): Promise<Entry> {
  const [file, passwd] = [(await entriesAt(pristine, path))[0], (await entriesAt(pristine, "/etc/passwd"))[0]];
  if (!file?.content) throw new InfraError(`${path} is no file in the image.`);
  const text = (entry: Entry | undefined): string => entry?.content?.toString("latin1") ?? "";
  const left = await entriesAt(target, path, maxAccountBytes).catch(() => []);
  const accounts = new Set(
    text(passwd)
      .split("\n")
      .map((line) => line.replace(/:.*/, "")),
  );
  const merged = mergeAccounts({ list: posix.basename(path), before: text(file), after: left.length === 1 ? text(left[0]) : "", accounts });
  return { ...file, content: Buffer.from(merged, "latin1") };
}

/** Folders of the image at whose place there is no folder now, or nothing. */
async function replacedFolders(target: Docker.Container, paths: readonly string[], image: SystemListing): Promise<Set<string>> {
  const folders = paths.filter((path) => image.entries.get(path)?.type === "d");
  const replaced = new Set<string>();
  for (const path of folders.toSorted())
    if (![...replaced].some((outer) => path.startsWith(`${outer}/`)) && !(await isFolder(target, path))) replaced.add(path);
  return replaced;
}

/** Go's file mode: this bit marks a folder. */
const folderBit = 2 ** 31;

async function isFolder(container: Docker.Container, path: string): Promise<boolean> {
  try {
    const found = await container.infoArchive({ path });
    const header: unknown = found.headers?.["x-docker-container-path-stat"];
    const stat: unknown = JSON.parse(Buffer.from(String(header), "base64").toString());
    return typeof stat === "object" && stat !== null && "mode" in stat && Number(stat.mode) >= folderBit;
  } catch {
    return false;
  }
}

/** Every folder of the image above the paths: unpacking then passes no link in its place. */
function parentsOf(paths: readonly string[], image: SystemListing): string[] {
  const folders: string[] = [];
  for (const path of paths)
    for (let at = posix.dirname(path); at !== "/"; at = posix.dirname(at)) if (image.entries.get(at)?.type === "d") folders.push(at);
  return folders;
}

/** Folders as the image has them, outer ones first. */
function foldersOf(paths: readonly string[], image: SystemListing): Entry[] {
  return [...new Set(paths)].toSorted().map((path) => {
    const { mode = 0o755, uid = 0, gid = 0 } = image.entries.get(path) ?? {};
    return { name: `${path.slice(1)}/`, type: "directory", mode, uid, gid, mtime: new Date(0) };
  });
}

/** Files are read as a whole, up to `most` bytes. */
async function entriesAt(container: Docker.Container, path: string, most = maxBytes): Promise<Entry[]> {
  const archive = await container.getArchive({ path });
  const extract = tar.extract();
  const done = pipeline(archive, extract);
  done.catch(() => undefined);
  const parent = posix.dirname(path);
  const entries: Entry[] = [];
  for await (const entry of extract) {
    if ((entry.header.size ?? 0) > most) {
      extract.destroy();
      throw new InfraError(`${path} is larger than ${most} bytes.`);
    }
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer); // a stream without an encoding gives bytes
    const { name, linkname, type } = entry.header;
    const inside = posix.join(parent, name).slice(1);
    const link = type === "link" && linkname ? posix.join(parent, linkname).slice(1) : linkname;
    const { size: _, pax: __, ...header } = entry.header;
    entries.push({
      ...header,
      name: inside,
      ...(link ? { linkname: link } : {}),
      ...(type === "file" ? { content: Buffer.concat(pieces) } : {}),
    });
  }
  await done;
  return entries;
}

function packed(entries: readonly Entry[]): tar.Pack {
  const pack = tar.pack();
  for (const { content, ...header } of entries) pack.entry(header, content ?? Buffer.alloc(0));
  pack.finalize();
  return pack;
}

function withoutInner(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let at = posix.dirname(path); at !== "/"; at = posix.dirname(at)) if (all.has(at)) return false;
    return true;
  });
}
