import type Docker from "dockerode";
import type { CreateOptions } from "../../provider.ts";
import { ownLabels, type Joined } from "./start-container.ts";

/**
 * PID 1 of every container. As no init of the engine's it survives `kill -9 -1` from inside, it reaps orphans while it waits, and it stops at once on TERM
 * (a plain `sleep` ignores TERM as PID 1 and keeps zombies).
 */
const keeper = `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`;
/** The same with a program of the image's or the service's beside it; what follows are its words. */
const keeperWith = ["/bin/sh", "-c", keeper.replace("while", '"$@" & while'), "keeper"];
/** Threads count too; the largest builds need some hundreds. Without any limit a fork bomb takes the whole machine. */
const defaultPids = 4096;

/**
 * What a container is held to, and what runs in it.
 * @param program words of what runs beside the keeper: entry point and command
 * @param joined what it is joined to: id of a network, or of the gateway or relay whose network it shares; behind a gateway it has no raw sockets, which
 *   pass by the gateway's rules
 */
export function containerOptions(
  image: string,
  o: CreateOptions,
  program: readonly string[] = [],
  joined: Joined = {},
): Docker.ContainerCreateOptions {
  const shared = joined.gateway ?? joined.relay;
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
      NetworkMode: shared === undefined ? (joined.network ?? "none") : `container:${shared}`,
      ...(joined.gateway !== undefined || o.rawSockets === false ? { CapDrop: ["NET_RAW"] } : {}),
      ...(o.mounts ? { Binds: Object.entries(o.mounts).map(([inside, here]) => `${here}:${inside}:ro`) } : {}),
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
