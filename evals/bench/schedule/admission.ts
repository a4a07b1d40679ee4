import type { Task } from "../../../tasks/task.ts";
import { createMemoryRoom, type BuildAsk } from "./memory-room.ts";

/** What the machine, or the machines, on which sandboxes run have. Sizes in bytes. */
export interface HostState {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** undefined where it cannot be seen, as on another machine. */
  readonly freeMemoryBytes?: number | undefined;
  /** The fullest of the disks that a trial writes to, and its folder. */
  readonly disk?: { readonly folder: string; readonly freeBytes: number; readonly totalBytes: number } | undefined;
}

/** Whether a trial may start: `wait` until another one ends, or `pause` until the machine has room again, with a sentence that says why. */
export type Verdict = { readonly type: "start" } | { readonly type: "wait" } | { readonly type: "pause"; readonly reason: string };

/** Keeps running trials, and the builds of their images beside them, within what the machine has. */
export interface Admission {
  ask(task: Task, host: HostState): Verdict;
  take(task: Task): void;
  /** The trial that was asked for last is waited for no more, and no other one waits for room. */
  askedNoMore(): void;
  release(task: Task): void;
  /** Waits until a build has room beside what runs, and takes it; the answer gives it back. Rejects with the signal's reason. */
  build(ask: BuildAsk): Promise<() => void>;
  /**
   * A trial of the task that was taken `wait`s for its image: meanwhile that one's build may have what the trial has taken.
   * @param o.trial which one; @param o.image of which task the image is, where it is another trial that waits for it, and this one for that
   */
  lend<T>(task: Task, o: { readonly trial: object; readonly image?: Task }, wait: () => Promise<T>): Promise<T>;
}

/** A trial waits for its model most of the time, so processors are promised several times over; memory is promised once. */
const cpuShare = 4;
const mib = 1024 ** 2;
/** Below these nothing new is started: what already runs needs the rest. */
const leastMemoryBytes = 512 * mib;
const leastDiskBytes = 1024 * mib;
/** Of a small disk, such as a memory file system, less is kept: it may never have had as much free. */
const leastDiskShare = 0.05;

export function createAdmission(): Admission {
  const taken = { trials: 0, cpus: 0 };
  const room = createMemoryRoom();
  return {
    ask(task, host) {
      const { disk, freeMemoryBytes: memory } = host;
      const kept = disk ? Math.min(leastDiskBytes, disk.totalBytes * leastDiskShare) : 0;
      if (disk && disk.freeBytes < kept)
        return pause(`Only ${size(disk.freeBytes)} are free on the disk of ${disk.folder}, and ${size(kept)} are kept free`);
      if (memory !== undefined && memory < leastMemoryBytes)
        return pause(`Only ${size(memory)} of memory are free, and ${size(leastMemoryBytes)} are kept free`);
      const asked = askedOf(task);
      // A task that wants more than there is gets the machine to itself.
      const cpus = taken.trials === 0 || taken.cpus + asked.cpus <= host.cpus * cpuShare;
      return cpus && room.fits(asked.memoryMb * mib, host.memoryBytes) ? { type: "start" } : { type: "wait" };
    },
    take(task) {
      count(task, 1);
      room.take(bytesOf(task));
    },
    askedNoMore: () => room.askedNoMore(),
    release(task) {
      count(task, -1);
      room.release(bytesOf(task));
    },
    build: (ask) => room.build(ask),
    lend: (task, { trial, image = task }, wait) => room.lend({ task: image.name, bytes: bytesOf(task), trial }, wait),
  };

  function count(task: Task, by: 1 | -1): void {
    taken.trials += by;
    taken.cpus += by * askedOf(task).cpus;
  }
}

const bytesOf = (task: Task): number => askedOf(task).memoryMb * mib;
/** What all containers of an environment may take; 0 where nothing bounds them. */
export const memoryBytesIn = (environment: Task["environment"]): number => inEnvironment(environment).memoryMb * mib;

interface Asked {
  readonly cpus: number;
  readonly memoryMb: number;
}

/**
 * A verifier with an environment of its own works while the agent's container is still there; of several steps the largest one's counts. In hardened mode
 * so does another environment like the agent's, whose own processes have been ended by then; but where a step follows, its services go on.
 */
function askedOf({ environment, verifier, steps }: Task): Asked {
  const own = inEnvironment(environment);
  const again = steps && environment.guard && environment.compose ? environment : undefined;
  const beside = (steps ?? [{ verifier }]).flatMap((one) => {
    const other = one.verifier.environment ?? again;
    return other ? [inEnvironment(other)] : [];
  });
  const most = (of: keyof Asked): number => Math.max(0, ...beside.map((one) => one[of]));
  return { cpus: own.cpus + most("cpus"), memoryMb: own.memoryMb + most("memoryMb") };
}

/**
 * What its containers may take counts, whoever set it; without a limit nothing can be promised. What a compose file says of a service wins over what the
 * task says of the agent's container, as it does where that is made.
 */
function inEnvironment({ cpus, memoryMb, guard, compose }: Task["environment"]): Asked {
  const own = { cpus: cpus ?? 0, memoryMb: memoryMb ?? guard?.memoryMb ?? 0 };
  if (!compose) return own;
  const each = compose.services.map((service) => ({
    cpus: service.cpus ?? (service.name === compose.main ? own.cpus : 0),
    memoryMb: service.memoryMb ?? (service.name === compose.main ? own.memoryMb : (guard?.memoryMb ?? 0)),
  }));
  return { cpus: each.reduce((sum, one) => sum + one.cpus, 0), memoryMb: each.reduce((sum, one) => sum + one.memoryMb, 0) };
}

const pause = (what: string): Verdict => ({ type: "pause", reason: `${what}; make room, and the job continues by itself.` });
/** `410 kB`, `512 MB`, `1.5 GB`. */
function size(bytes: number): string {
  if (bytes < 10 * mib) return `${Math.round(bytes / 1024)} kB`;
  return bytes < 1024 * mib ? `${Math.round(bytes / mib)} MB` : `${(bytes / mib / 1024).toFixed(1)} GB`;
}
