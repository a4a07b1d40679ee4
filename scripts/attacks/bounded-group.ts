import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A control group that stands for a small machine: containers below it share its memory and its processes. */
export interface BoundedGroup {
  /** As dockerd's `--cgroup-parent` takes it. */
  readonly parent: string;
  /** Call when no container is below it any more. */
  remove(): Promise<void>;
}

const root = "/sys/fs/cgroup";

/** Needs root and a daemon on this machine with the driver `cgroupfs`. No swap: what is over the limit is ended. */
export function boundedGroup(name: string, o: { readonly memoryBytes?: number; readonly pids?: number }): BoundedGroup {
  const unified = existsSync(join(root, "cgroup.controllers"));
  const make = (controller: "memory" | "pids", limits: Readonly<Record<string, number>>): void => {
    const folder = join(root, ...(unified ? [] : [controller]), name);
    if (!existsSync(folder)) mkdirSync(folder);
    for (const [file, value] of Object.entries(limits))
      if (existsSync(join(folder, file))) writeFileSync(join(folder, file), String(value));
  };
  if (unified) writeFileSync(join(root, "cgroup.subtree_control"), "+memory +pids");
  const { memoryBytes, pids } = o;
  if (memoryBytes !== undefined) {
    // In this order: version 1 takes no limit of memory and swap below that of memory.
    if (unified) make("memory", { "memory.max": memoryBytes, "memory.swap.max": 0 });
    else make("memory", { "memory.limit_in_bytes": memoryBytes, "memory.memsw.limit_in_bytes": memoryBytes });
  }
  if (pids !== undefined) make("pids", { "pids.max": pids });
  return {
    parent: `/${name}`,
    async remove() {
      // With version 1 the daemon makes the group for every other controller too.
      const everywhere = unified ? [join(root, name)] : readdirSync(root).map((controller) => join(root, controller, name));
      for (const folder of everywhere.filter((path) => existsSync(path))) await removeGroup(folder);
    },
  };
}

/** What runs in a group goes some moments after its container. */
async function removeGroup(folder: string): Promise<void> {
  for (let left = 100; ; left -= 1) {
    try {
      return rmdirSync(folder);
    } catch (error) {
      if (left === 0) throw error;
      await wait(50);
    }
  }
}
