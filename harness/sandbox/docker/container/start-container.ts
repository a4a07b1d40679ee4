import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../../errors.ts";
import type { CreateOptions } from "../../provider.ts";
import { thisOwner } from "../../owner.ts";
import { trialNetwork } from "../network/trial-network.ts";

/**
 * PID 1 of every container. As no init of the engine's it survives `kill -9 -1` from inside, it reaps orphans while it waits, and it stops at once on TERM
 * (a plain `sleep` ignores TERM as PID 1 and keeps zombies).
 */
const keeper = `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`;
/** The same with a program of the image's or the service's beside it; what follows are its words. */
const keeperWith = ["/bin/sh", "-c", keeper.replace("while", '"$@" & while'), "keeper"];
/** What an image's entry point is given where nobody says more, as in Harbor's own compose file. */
export const idle: readonly string[] = ["sh", "-c", "sleep infinity"];

/** Threads count too; the largest builds need some hundreds. Without any limit a fork bomb takes the whole machine. */
const defaultPids = 4096;

/** What makes a thing findable for the sweep, with labels of the caller's. */
export function ownLabels(labels: CreateOptions["labels"] = {}): Record<string, string> {
  const owner = thisOwner();
  const own = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`forge.${key}`, value]));
  return { ...own, forge: "sandbox", "forge.owner": owner.process, "forge.place": owner.place };
}

/** Of neither there is no network. */
export interface Joined {
  readonly network?: string;
  readonly gateway?: string;
}

/** What a single container is joined to. @throws InfraError */
export async function joinedTo(docker: Docker, { network }: CreateOptions, gateway?: { readonly id: string }): Promise<Joined> {
  if (gateway) return { gateway: gateway.id };
  return network ? { network: await trialNetwork(docker) } : {};
}

/**
 * @param program words of what runs beside the keeper: entry point and command
 * @param joined what it is joined to: id of a network, or of the gateway whose network it shares; then it has no raw sockets, which pass by the
 *   gateway's rules
 */
export function containerOptions(
  image: string,
  o: CreateOptions,
  program: readonly string[] = [],
  joined: Joined = {},
): Docker.ContainerCreateOptions {
  const memory = o.memoryMb === undefined ? {} : { Memory: o.memoryMb * 1024 * 1024, MemorySwap: o.memoryMb * 1024 * 1024 };
  return {
    Image: image,
    Entrypoint: program.length === 0 ? ["/bin/sh", "-c", keeper] : [...keeperWith, ...program],
    Cmd: [],
    Env: Object.entries(o.env ?? {}).map(([name, value]) => `${name}=${value}`),
    Labels: ownLabels(o.labels),
    NetworkDisabled: false,
    // A health check of the image would run beside the agent and count against its limits.
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      ...(joined.gateway === undefined ? { NetworkMode: joined.network ?? "none" } : { NetworkMode: `container:${joined.gateway}` }),
      ...(joined.gateway !== undefined || o.rawSockets === false ? { CapDrop: ["NET_RAW"] } : {}),
      Init: false,
      // Whoever is root inside can write to the output of PID 1, and the daemon would keep it on its disk.
      LogConfig: { Type: "none", Config: {} },
      ...memory,
      ...(o.cgroupParent === undefined ? {} : { CgroupParent: o.cgroupParent }),
      ...(o.cpus === undefined ? {} : { NanoCpus: Math.round(o.cpus * 1e9) }),
      PidsLimit: o.pids ?? defaultPids,
    },
  };
}

/** @throws ConfigError when the image has no shell; InfraError for what is the daemon's fault. */
export async function startContainer(container: Docker.Container): Promise<void> {
  try {
    await container.start();
  } catch (error) {
    const why = messageOf(error);
    if (/exec: "\/bin\/sh": |executable file not found/.test(why))
      throw new ConfigError("The image has no /bin/sh, in which commands run; add a shell to it in the Dockerfile.");
    throw new InfraError(`The container could not be started: ${why}.`);
  }
}
