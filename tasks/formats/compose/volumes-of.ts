import { realpath, stat } from "node:fs/promises";
import { posix, resolve } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Service, ServiceMount, ServiceVolume } from "../../../harness/sandbox/compose.ts";
import { placeOf } from "../read/check-data.ts";
import { isInside } from "../check/check-tree.ts";
import { shownValue } from "../read/shown-value.ts";
import type { ServiceData } from "./compose-file.ts";
import type { ServicePlace } from "./service-place.ts";

/**
 * The volumes of a service, memory file systems written among them, and what it mounts of the task's own folder. Throws `ConfigError` for a path
 * outside of that folder, the Docker socket, a volume that the file does not declare, and a target that is no absolute path.
 */
export async function volumesOf(
  name: string,
  list: NonNullable<ServiceData["volumes"]>,
  place: ServicePlace,
): Promise<{ volumes: ServiceVolume[]; mounts: ServiceMount[]; tmpfs: string[] }> {
  const volumes: ServiceVolume[] = [];
  const mounts: ServiceMount[] = [];
  const tmpfs: string[] = [];
  for (const [index, entry] of list.entries()) {
    const key = placeOf(place.placed, ["services", name, "volumes", index]);
    const { type, source, target, readOnly, makesFolder } = typeof entry === "string" ? short(entry) : long(entry);
    if (!target.startsWith("/") || posix.normalize(target) === "/")
      throw new ConfigError(`${key}: ${shownValue(target)} is no absolute path of the container. Write it from the root.`);
    if (type === "tmpfs") {
      tmpfs.push(target);
      continue;
    }
    if (source?.endsWith("docker.sock") === true)
      throw new ConfigError(`${key}: needs the Docker socket, which no task gets. Remove it, or leave the task out with --filter.`);
    if (isPath(source) || type === "bind") {
      mounts.push(await mountOf({ source: source ?? "", target, readOnly, makesFolder }, key, place));
      continue;
    }
    if (type !== "volume")
      throw new ConfigError(`${key}: ${shownValue(type)} is no kind of volume that a task gets. Write volume, bind or tmpfs.`);
    if (source !== undefined && !place.volumes.includes(source))
      throw new ConfigError(`${key}: there is no volume ${shownValue(source)}. Declare it under volumes of this file.`);
    volumes.push({ ...(source !== undefined && { name: source }), target, readOnly });
  }
  return { volumes, mounts, tmpfs };
}

const isPath = (source: string | undefined): boolean => source !== undefined && /^[./~]|^[A-Za-z]:[\\/]/.test(source);

/** What lies in the task's folder is the task's, links out of it were refused before; everything else is the machine's. */
async function mountOf(
  { source, target, readOnly, makesFolder }: Omit<Mount, "type" | "source"> & { source: string },
  key: string,
  { root, folder }: ServicePlace,
): Promise<ServiceMount> {
  const path = resolve(folder, source);
  if (source === "" || /^~|^[A-Za-z]:[\\/]/.test(source) || !isInside(root, path))
    throw new ConfigError(
      `${key}: ${shownValue(source)} needs a folder of the machine outside of the task's, which no task gets. Put the files into the task's folder, or use a named volume.`,
    );
  const found = await realpath(path).catch(() => undefined);
  if (found === undefined && !makesFolder)
    throw new ConfigError(`${key}: ${shownValue(source)} does not exist. Put it into the task's folder, or write source:target.`);
  const type = found !== undefined && (await stat(found)).isFile() ? "file" : "folder";
  return { source: found ?? path, type, target: posix.normalize(target).replace(/(?<=.)\/$/, ""), readOnly };
}

interface Mount {
  readonly type: string;
  readonly source: string | undefined;
  readonly target: string;
  readonly readOnly: boolean;
  /** A path that is not there becomes an empty folder. */
  readonly makesFolder: boolean;
}

function short(text: string): Mount {
  const parts = text.split(":");
  if (parts.length === 1) return { type: "volume", source: undefined, target: text, readOnly: false, makesFolder: true };
  const [source = "", target = "", mode = ""] = parts;
  return { type: "volume", source, target, readOnly: mode.split(",").includes("ro"), makesFolder: true };
}

function long(entry: Exclude<NonNullable<ServiceData["volumes"]>[number], string>): Mount {
  const { type, source, target, read_only: readOnly = false, bind } = entry;
  return { type, source, target, readOnly, makesFolder: bind?.create_host_path ?? false };
}

/**
 * The runner's own log folders become volumes of the trial where several services share one; where only the agent's service has it, nothing is left,
 * because Forge keeps logs in its own way.
 */
export function volumesLeft(
  services: readonly Service[],
  main: string,
  logVolumes: readonly string[],
): { services: Service[]; volumes: string[] } {
  const users = new Map<string, Set<string>>();
  for (const service of services)
    for (const { name } of service.volumes) if (name !== undefined) users.set(name, (users.get(name) ?? new Set()).add(service.name));
  const alone = (name: string | undefined): boolean =>
    name !== undefined && logVolumes.includes(name) && users.get(name)?.size === 1 && users.get(name)?.has(main) === true;
  return {
    services: services.map((service) => ({ ...service, volumes: service.volumes.filter(({ name }) => !alone(name)) })),
    volumes: [...users.keys()].filter((name) => !alone(name)),
  };
}
