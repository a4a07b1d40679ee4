import { ConfigError } from "../../../harness/errors.ts";
import type { Service, ServiceVolume } from "../../compose.ts";
import { placeOf } from "../check-data.ts";
import { shownValue } from "../shown-value.ts";
import type { ServiceData } from "./compose-file.ts";
import type { ServicePlace } from "./service-place.ts";

/**
 * The volumes of a service, and memory file systems written among them. Throws `ConfigError` for a folder of the machine, the Docker socket, a
 * volume that the file does not declare, and a target that is no absolute path.
 */
export function volumesOf(
  name: string,
  list: NonNullable<ServiceData["volumes"]>,
  place: ServicePlace,
): { volumes: ServiceVolume[]; tmpfs: string[] } {
  const volumes: ServiceVolume[] = [];
  const tmpfs: string[] = [];
  for (const [index, entry] of list.entries()) {
    const key = placeOf(place.placed, ["services", name, "volumes", index]);
    const { type, source, target, readOnly } = typeof entry === "string" ? short(entry) : long(entry);
    if (!target.startsWith("/"))
      throw new ConfigError(`${key}: ${shownValue(target)} is no absolute path of the container. Write it from the root.`);
    if (type === "tmpfs") {
      tmpfs.push(target);
      continue;
    }
    if (source?.endsWith("docker.sock") === true)
      throw new ConfigError(`${key}: asks for the Docker socket, which no task gets. Remove it, or leave the task out with --filter.`);
    if (type !== "volume" || (source !== undefined && /^[./~]|^[A-Za-z]:[\\/]/.test(source)))
      throw new ConfigError(
        `${key}: ${shownValue(source ?? type)} asks for a folder of the machine, which no task gets. Copy it in the Dockerfile, or use a named volume.`,
      );
    if (source !== undefined && !place.volumes.includes(source))
      throw new ConfigError(`${key}: there is no volume ${shownValue(source)}. Declare it under volumes of this file.`);
    volumes.push({ ...(source !== undefined && { name: source }), target, readOnly });
  }
  return { volumes, tmpfs };
}

interface Mount {
  readonly type: string;
  readonly source: string | undefined;
  readonly target: string;
  readonly readOnly: boolean;
}

function short(text: string): Mount {
  const parts = text.split(":");
  if (parts.length === 1) return { type: "volume", source: undefined, target: text, readOnly: false };
  const [source = "", target = "", mode = ""] = parts;
  return { type: "volume", source, target, readOnly: mode.split(",").includes("ro") };
}

function long(entry: Exclude<NonNullable<ServiceData["volumes"]>[number], string>): Mount {
  return { type: entry.type, source: entry.source, target: entry.target, readOnly: entry.read_only ?? false };
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
