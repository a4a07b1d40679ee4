import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import type { Bounds, SandboxProvider } from "../../../harness/sandbox/provider.ts";

const mib = 1024 ** 2;
/** Of a machine's memory, for all trials that run there together; the rest is its own. */
const memoryShare = 0.9;
/** While one trial of a slot is verified, the next one's container may be there already. */
const atATime = 2;
/** Fewer trials run together where this is not there for each of them: what follows is that a trial has enough to do anything at all. */
const leastMemoryMb = 256;
/** Of the free disk: what an agent wrote is there twice while it is verified. */
const diskShare = 0.5;
/** As much as Harbor's format gives a task that asks for nothing; also where the disk cannot be seen. */
const mostStorageMb = 10_240;
const leastStorageMb = 64;
/** Of the processes that the machine can have. */
const pidsShare = 0.5;
/** Threads count too; the largest builds need some hundreds. */
const mostPids = 4096;
const leastPids = 64;

/**
 * What a container gets in hardened mode whose task states no limit: so much that all trials of the job, `jobs` at a time, cannot take the machine together,
 * whatever they do. What was `asked` for wins.
 */
export async function guardOf(
  provider: SandboxProvider,
  jobs: number,
  asked: { readonly [K in keyof Bounds]?: Bounds[K] | undefined } = {},
): Promise<Required<Bounds>> {
  const capacity = await provider.capacity?.().catch(() => undefined); // a daemon that does not answer makes no container either
  const machines = capacity?.machines ?? [{ cpus: 1, memoryBytes: capacity?.memoryBytes ?? totalmem() }];
  const cpus = machines.reduce((sum, machine) => sum + machine.cpus, 0);
  // Trials are spread by processors.
  const memory = machines.map((one) => {
    const share = memoryShare * one.memoryBytes;
    const here = atATime * Math.max(1, Math.ceil((jobs * one.cpus) / cpus));
    return Math.min(share, Math.max(share / here, leastMemoryMb * mib));
  });
  const free = capacity?.local !== false && capacity?.folder !== undefined ? await freeBytes(capacity.folder) : undefined;
  const storageMb = free === undefined ? mostStorageMb : Math.floor((free * diskShare) / (atATime * jobs) / mib);
  const pids = capacity?.pids === undefined ? mostPids : Math.floor((capacity.pids * pidsShare) / (atATime * jobs));
  return {
    memoryMb: asked.memoryMb ?? Math.floor(Math.min(...memory) / mib),
    storageMb: asked.storageMb ?? Math.min(mostStorageMb, Math.max(leastStorageMb, storageMb)),
    pids: asked.pids ?? Math.min(mostPids, Math.max(leastPids, pids)),
  };
}

async function freeBytes(folder: string): Promise<number | undefined> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
}
