import type Docker from "dockerode";
import type { Service } from "../../compose.ts";

/** How one trial's copies of a compose file's networks and volumes are called in the daemon. */
export interface GroupNames {
  network(name: string): string;
  volume(name: string): string;
  /** The volume that is a copy of a mounted folder of the task. */
  folder(source: string): string;
}

/** Adds what a service asks for to the options of its container; limits that it names win over the task's. */
export function withService(options: Docker.ContainerCreateOptions, service: Service, names: GroupNames): Docker.ContainerCreateOptions {
  const [first] = service.networks;
  const memory = service.memoryMb === undefined ? undefined : service.memoryMb * 1024 * 1024;
  const endpoint = first && { [names.network(first.name)]: { Aliases: aliases(service, first.aliases) } };
  return {
    ...options,
    ...(service.workingDir === undefined ? {} : { WorkingDir: service.workingDir }),
    ...(service.user === undefined ? {} : { User: service.user }),
    ...(service.hostname === undefined ? {} : { Hostname: service.hostname }),
    ...(endpoint ? { NetworkingConfig: { EndpointsConfig: endpoint } } : {}),
    HostConfig: {
      ...options.HostConfig,
      NetworkMode: first ? names.network(first.name) : "none",
      Mounts: [
        ...service.volumes.map(({ name, target, readOnly }) => ({
          Type: "volume" as const,
          Target: target,
          // Left out, the engine makes one without a name, which goes with its container.
          Source: name === undefined ? "" : names.volume(name),
          ReadOnly: readOnly,
        })),
        ...(service.mounts ?? []).flatMap(({ source, type, target, readOnly }) =>
          type === "file"
            ? []
            : [{ Type: "volume" as const, Target: target, Source: names.folder(source), ReadOnly: readOnly, VolumeOptions: asItIs }],
        ),
      ],
      Tmpfs: Object.fromEntries(service.tmpfs.map((path) => [path, ""])),
      ReadonlyRootfs: service.readOnly,
      CapAdd: [...service.capAdd],
      CapDrop: [...service.capDrop],
      ...(service.extraHosts ? { ExtraHosts: [...service.extraHosts] } : {}),
      ...(service.dns ? { Dns: [...service.dns.servers], DnsSearch: [...service.dns.search], DnsOptions: [...service.dns.options] } : {}),
      ...(service.ulimits ? { Ulimits: service.ulimits.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })) } : {}),
      ...(service.groups ? { GroupAdd: [...service.groups] } : {}),
      ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
      ...(service.cpus === undefined ? {} : { NanoCpus: Math.round(service.cpus * 1e9) }),
      ...(service.pids === undefined ? {} : { PidsLimit: service.pids }),
      ...(service.shmMb === undefined ? {} : { ShmSize: service.shmMb * 1024 * 1024 }),
    },
  };
}

/** Nothing of the image is copied into it. */
const asItIs = { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } };

/** A service is found by its own name on each of its networks. */
export const aliases = (service: Service, more: readonly string[]): string[] => [service.name, ...more];
