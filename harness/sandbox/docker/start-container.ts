import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../errors.ts";
import type { CreateOptions } from "../provider.ts";
import { thisOwner } from "../owner.ts";

/**
 * PID 1 of every container. As no init of the engine's it survives `kill -9 -1` from inside, it reaps orphans while it waits, and it stops at once on TERM
 * (a plain `sleep` ignores TERM as PID 1 and keeps zombies).
 */
const keeper = `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`;

/** Threads count too; the largest builds need some hundreds. Without any limit a fork bomb takes the whole machine. */
const defaultPids = 4096;

export function containerOptions(image: string, o: CreateOptions): Docker.ContainerCreateOptions {
  const owner = thisOwner();
  const own = Object.fromEntries(Object.entries(o.labels ?? {}).map(([key, value]) => [`forge.${key}`, value]));
  const memory = o.memoryMb === undefined ? {} : { Memory: o.memoryMb * 1024 * 1024, MemorySwap: o.memoryMb * 1024 * 1024 };
  return {
    Image: image,
    Entrypoint: ["/bin/sh", "-c", keeper],
    Cmd: [],
    Env: Object.entries(o.env ?? {}).map(([name, value]) => `${name}=${value}`),
    Labels: { ...own, forge: "sandbox", "forge.owner": owner.process, "forge.place": owner.place },
    NetworkDisabled: false,
    // A health check of the image would run beside the agent and count against its limits.
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: o.network ? "bridge" : "none",
      Init: false,
      ...memory,
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
