/** What running trials and image builds take of one machine's memory together, in bytes. Whoever asked first and does not fit is let in first. */
export interface MemoryRoom {
  /** Whether a trial of so many bytes fits now; one that does not is waited for by builds that ask later. Nothing is taken. */
  fits(bytes: number, machineBytes: number): boolean;
  take(bytes: number): void;
  /** No trial waits for room any more: the one that did not fit is not wanted, or something else keeps it. Builds go on. */
  askedNoMore(): void;
  release(bytes: number): void;
  /** Waits until a build of a task's image has room, and takes it; the answer gives it back. Rejects with the signal's reason. */
  build(o: BuildAsk): Promise<() => void>;
  /**
   * A trial that waits for its task's image: while that is being built, or waits to be, what the trial has taken is the builds' to take. Afterwards it
   * goes on as soon as running builds leave it its own again.
   */
  lend<T>(o: Lent, wait: () => Promise<T>): Promise<T>;
}

export interface BuildAsk {
  readonly task: string;
  readonly bytes: number;
  readonly machineBytes: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting extends BuildAsk {
  readonly since: number;
  start(): void;
}
export interface Lent {
  /** Whose image is waited for. */
  readonly task: string;
  readonly bytes: number;
  /** Which trial has taken them: one that waits for two images lends what it has once. */
  readonly trial: object;
}

/** The rest is the machine's own. */
const share = 0.9;

/**
 * Nothing here can wait for itself: a build that has room waits for nothing, a trial that has room waits for builds alone, and what it has does not
 * count against those meanwhile. What is more than there is gets the machine to itself.
 */
export function createMemoryRoom(): MemoryRoom {
  const trials = { count: 0, bytes: 0 };
  const builds = new Set<BuildAsk>();
  const waiting: Waiting[] = [];
  const lent = new Set<Lent>();
  const returning = new Map<() => void, number>();
  let ordinal = 0;
  /** Since when a trial waits for room. */
  let refused: number | undefined;

  const built = (): number => sum(builds);
  const busy = (): { count: number; bytes: number } => {
    const asked = new Set([...builds, ...waiting].map(({ task }) => task));
    const idle = new Map([...lent].filter(({ task }) => asked.has(task)).map((one) => [one.trial, one]));
    return { count: trials.count - idle.size, bytes: trials.bytes - sum(idle.values()) };
  };
  const mayBuild = ({ bytes, machineBytes, since }: Waiting): boolean => {
    const now = busy();
    const turn = refused === undefined || refused > since;
    // Trials that have room and wait for builds alone come before one that waits for room.
    if (now.count === 0 && builds.size === 0) return trials.count > 0 || turn;
    return turn && now.bytes + built() + bytes <= machineBytes * share;
  };
  const look = (): void => {
    const [...back] = returning;
    for (const [goOn, machineBytes] of back) if (isBack(machineBytes)) goOn();
    for (let next = waiting[0]; next && mayBuild(next); next = waiting[0]) {
      waiting.shift();
      next.start();
    }
  };
  const isBack = (machineBytes: number): boolean => builds.size === 0 || busy().bytes + built() <= machineBytes * share;
  return {
    fits(bytes, machineBytes) {
      const alone = trials.count === 0 && builds.size === 0;
      // A trial that asks for no memory keeps no build waiting.
      const turn = bytes === 0 || waiting[0] === undefined || (refused !== undefined && refused < waiting[0].since);
      if (turn && (alone || trials.bytes + built() + bytes <= machineBytes * share)) return true;
      refused ??= ++ordinal;
      return false;
    },
    take(bytes) {
      trials.count += 1;
      trials.bytes += bytes;
      refused = undefined;
      look();
    },
    askedNoMore() {
      refused = undefined;
      look();
    },
    release(bytes) {
      trials.count -= 1;
      trials.bytes -= bytes;
      look();
    },
    build: (ask) =>
      new Promise((resolve, reject) => {
        const { signal } = ask;
        if (signal?.aborted) return reject(signal.reason as Error); // whatever the caller aborted with
        const gone = (): void => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(signal?.reason as Error); // as above
          look();
        };
        const one: Waiting = {
          ...ask,
          since: ++ordinal,
          start() {
            signal?.removeEventListener("abort", gone);
            builds.add(one);
            resolve(() => {
              if (builds.delete(one)) look();
            });
          },
        };
        signal?.addEventListener("abort", gone, { once: true });
        waiting.push(one);
        look();
      }),
    async lend(asked, wait) {
      const one = { ...asked };
      lent.add(one);
      look();
      try {
        return await wait();
      } finally {
        lent.delete(one);
        const [build] = builds;
        if (build && one.bytes > 0 && !isBack(build.machineBytes))
          await new Promise<void>((resolve) => {
            const goOn = (): void => {
              returning.delete(goOn);
              resolve();
            };
            returning.set(goOn, build.machineBytes);
          });
        else look();
      }
    },
  };
}

const sum = (all: Iterable<{ readonly bytes: number }>): number => [...all].reduce((total, { bytes }) => total + bytes, 0);
