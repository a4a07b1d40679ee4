import { posix } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import tar from "tar-stream";
import { InfraError, messageOf } from "../../errors.ts";
import type { FileChange, SystemListing, SystemRepair } from "../system-places.ts";

const kinds = ["changed", "added", "removed"] as const;

/** What differs from the image, as the engine sees it. */
export async function changesOf(container: Docker.Container): Promise<FileChange[]> {
  // The type in @types/dockerode is empty; this is what the engine answers (null for nothing).
  const found = ((await container.changes()) ?? []) as unknown as { Path: string; Kind: number }[];
  return found.map(({ Path: path, Kind }) => ({ path, kind: kinds[Kind] ?? "changed" }));
}

/** More is no repair but another image. */
const maxBytes = 1024 ** 3;

type Entry = Partial<tar.Header> & { readonly name: string; readonly content?: Buffer };

/**
 * Makes `target` as `repair` says, without running anything in it: files come from `pristine` (a container of the image) by the engine, folders that
 * have become something else are folders again, and what is to go becomes an empty file that nobody can run. `rm` may remove those afterwards.
 */
export async function restoreSystem(
  target: Docker.Container,
  pristine: Docker.Container,
  repair: SystemRepair,
  image: SystemListing,
): Promise<readonly string[]> {
  const replaced = await replacedFolders(target, repair.restore, image);
  const tops = [...repair.whole, ...repair.restore.filter((path) => image.entries.get(path)?.type !== "d" || replaced.has(path))];
  const gone = withoutInner(repair.remove.filter((path) => ![...replaced].some((folder) => path.startsWith(`${folder}/`))));
  const entries: Entry[] = parentsOf([...tops, ...gone], image);
  let bytes = 0;
  for (const path of withoutInner(tops))
    for (const entry of await entriesAt(pristine, path)) {
      bytes += entry.content?.length ?? 0;
      if (bytes > maxBytes) throw new InfraError("More than 1 GiB of the image's own files was changed; they are not restored.");
      entries.push(entry);
    }
  for (const path of gone) entries.push({ name: path.slice(1), type: "file", mode: 0, mtime: new Date(0), content: Buffer.alloc(0) });
  if (entries.length > 0)
    await target.putArchive(Readable.from(packed(entries)), { path: "/" }).catch((error: unknown) => {
      throw new InfraError(`The image's own files could not be restored: ${messageOf(error)}.`);
    });
  return gone;
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

/** Every folder above the paths as the image has it: unpacking then passes no link in its place. */
function parentsOf(paths: readonly string[], image: SystemListing): Entry[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = posix.dirname(path); at !== "/"; at = posix.dirname(at)) if (image.entries.get(at)?.type === "d") folders.add(at);
  return [...folders].toSorted().map((path) => {
    const { mode = 0o755, uid = 0, gid = 0 } = image.entries.get(path) ?? {};
    return { name: `${path.slice(1)}/`, type: "directory", mode, uid, gid, mtime: new Date(0) };
  });
}

async function entriesAt(container: Docker.Container, path: string): Promise<Entry[]> {
  const archive = await container.getArchive({ path });
  const extract = tar.extract();
  const done = pipeline(archive, extract);
  done.catch(() => undefined);
  const parent = posix.dirname(path);
  const entries: Entry[] = [];
  for await (const entry of extract) {
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
