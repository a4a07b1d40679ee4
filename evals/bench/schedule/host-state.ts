import { statfs } from "node:fs/promises";
import { availableParallelism, freemem, totalmem } from "node:os";
import type { SandboxProvider } from "../../../harness/sandbox/provider.ts";
import type { HostState } from "./admission.ts";

/** Looks at the machine again at most this often. */
const freshMs = 1_000;
const answerMs = 5_000;

/** The state of where sandboxes of this provider run: its own account where it gives one, else this machine. Trials are written below `folder`. */
export function watchHost(provider: SandboxProvider, folder: string, now: () => number): () => Promise<HostState> {
  let seen: { readonly at: number; readonly state: Promise<HostState> } | undefined;
  let capacity: Awaited<ReturnType<NonNullable<SandboxProvider["capacity"]>>> | undefined;
  const look = async (): Promise<HostState> => {
    capacity ??= await inTime(provider.capacity?.());
    const local = capacity?.local ?? true;
    const folders = [folder, ...(local && capacity?.folder !== undefined ? [capacity.folder] : [])];
    const disks = (await Promise.all(folders.map(freeOf))).flatMap((disk) => disk ?? []);
    return {
      cpus: capacity?.cpus ?? availableParallelism(),
      memoryBytes: capacity?.memoryBytes ?? totalmem(),
      freeMemoryBytes: local ? freemem() : undefined,
      disk: disks.toSorted((a, b) => a.freeBytes / a.totalBytes - b.freeBytes / b.totalBytes)[0],
    };
  };
  return () => {
    if (!seen || now() - seen.at >= freshMs) seen = { at: now(), state: look() };
    return seen.state;
  };
}

/** undefined where there is no answer: a daemon that hangs keeps nobody waiting for its size. */
async function inTime<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), answerMs)));
  return Promise.race([answer, late])
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}

async function freeOf(folder: string): Promise<HostState["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined; // not of this machine, or not for this user to see
  }
}
