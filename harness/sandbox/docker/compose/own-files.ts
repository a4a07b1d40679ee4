import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, posix } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import tar from "tar-stream";
import { ConfigError, InfraError, messageOf } from "../../../errors.ts";
import { listHostFolder, packFolder } from "../../workspace/pack-folder.ts";
import type { Compose, Service, ServiceMount } from "../../compose.ts";
import { hashEntries } from "../../workspace/hash-entries.ts";
import type { CreateOptions } from "../../provider.ts";
import { SandboxPathError } from "../../sandbox.ts";
import { containerOptions } from "../container/container-limits.ts";
import { ownLabels } from "../container/start-container.ts";

/** Folders of the task that its services mount, each once. They become volumes of the trial: shared as the file says, hiding what the image has there. */
export function mountedFolders({ services }: Compose): string[] {
  return [...new Set(services.flatMap(({ mounts = [] }) => mounts.filter(({ type }) => type === "folder").map(({ source }) => source)))];
}

/** One line for each mount, over its content, so that another content is another environment. @throws ConfigError for a link that leaves its folder */
export async function mountDigests({ services }: Compose): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, mounts = [] } of services)
    for (const { source, type, target, readOnly } of mounts) {
      const content = type === "file" ? sha256(await readFile(source)) : await hashEntries(source, await listed(source), "mount");
      lines.push(JSON.stringify([name, target, type, readOnly, content]));
    }
  return lines;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Makes and fills one volume for each mounted folder, through a container that is never started: the engine writes into volumes of such, and a
 * service may then have its volume read-only.
 * @param volumeOf a mounted folder's volume
 * @param image any image of the task
 */
export async function fillFolders(
  docker: Docker,
  compose: Compose,
  o: { readonly volumeOf: (source: string) => string; readonly image: string } & Pick<CreateOptions, "labels">,
): Promise<void> {
  const folders = mountedFolders(compose);
  if (folders.length === 0) return;
  for (const source of folders) await docker.createVolume({ Name: o.volumeOf(source), Labels: ownLabels(o.labels) });
  const options = containerOptions(o.image, o.labels ? { labels: o.labels } : {});
  const at = (index: number): string => `/forge-files-${index}`;
  const Mounts = folders.map((source, index) => ({
    Type: "volume" as const,
    Source: o.volumeOf(source),
    Target: at(index),
    ReadOnly: false,
    VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } },
  }));
  const filler = await docker.createContainer({ ...options, HostConfig: { ...options.HostConfig, Mounts } });
  try {
    for (const [index, source] of folders.entries()) {
      await put(filler, at(index), packFolder(source, await listed(source)), source);
      // A file mounted below a folder would else have to be written into a volume that may be read-only by then.
      for (const [file, path] of nestedFiles(compose, source)) await put(filler, at(index), packFile(file, path), file);
    }
  } finally {
    await filler.remove({ force: true }).catch(() => undefined); // the sweep tries again
  }
}

/** Files that land in the copy of a mounted folder, with their paths there. */
function nestedFiles({ services }: Compose, folder: string): [source: string, path: string][] {
  return services.flatMap(({ mounts = [] }) =>
    mounts.flatMap((mount): [string, string][] => {
      const around = mount.type === "file" ? folderAround(mount, mounts) : undefined;
      return around?.source === folder ? [[mount.source, posix.relative(around.target, mount.target)]] : [];
    }),
  );
}

function folderAround({ target }: ServiceMount, mounts: readonly ServiceMount[]): ServiceMount | undefined {
  const above = mounts.filter((one) => one.type === "folder" && target.startsWith(`${one.target}/`));
  return above.toSorted((a, b) => b.target.length - a.target.length)[0];
}

/** Puts the single files that a service mounts into its container, which has not started yet. */
export async function placeFiles(container: Docker.Container, { mounts = [] }: Service): Promise<void> {
  for (const mount of mounts)
    if (mount.type === "file" && !folderAround(mount, mounts))
      await put(container, "/", packFile(mount.source, mount.target.slice(1)), mount.source);
}

function packFile(source: string, name: string): tar.Pack {
  const pack = tar.pack();
  const write = async (): Promise<void> => {
    const { size, mode } = await lstat(source);
    await pipeline(createReadStream(source), pack.entry({ name, size, mode: mode & 0o777, uid: 0, gid: 0, mtime: new Date(0) }));
    pack.finalize();
  };
  write().catch((error: unknown) => pack.destroy(error instanceof Error ? error : new Error(messageOf(error))));
  return pack;
}

async function put(container: Docker.Container, path: string, archive: tar.Pack, source: string): Promise<void> {
  await container.putArchive(Readable.from(archive), { path }).catch((error: unknown) => {
    throw new InfraError(
      `${basename(dirname(source))}/${basename(source)} of the task could not be copied into its containers: ${messageOf(error)}.`,
    );
  });
}

/** A link that leads out of its folder would be another file in the container than here. */
async function listed(folder: string): ReturnType<typeof listHostFolder> {
  const isThere = await lstat(folder).catch(() => undefined);
  if (!isThere) return [];
  return listHostFolder(folder).catch((error: unknown) => {
    throw error instanceof SandboxPathError ? new ConfigError(error.message) : error;
  });
}
