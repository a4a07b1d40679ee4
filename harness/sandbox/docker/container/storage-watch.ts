import { setTimeout as sleep } from "node:timers/promises";

export interface StorageProbe {
  /** Bytes of the writable layer: a walk over its files. Undefined where it cannot be told now. */
  measure(): Promise<number | undefined>;
  /** Free bytes of the file system it lies on: one system call. Undefined where the daemon is elsewhere. */
  free(): Promise<number | undefined>;
}

/** What the watch waits by. */
export interface WatchClock {
  now(): number;
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
const realClock: WatchClock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { ref: false, signal }) };

export interface StorageWatch {
  readonly exceeded: readonly { readonly at: number; readonly bytes: number; readonly limitBytes: number }[];
  readonly peakBytes: number;
  /** A measurement now. */
  measure(): Promise<number | undefined>;
  stop(): void;
}

const tickMs = 200;
/** A walk may take this part of the time, no more: 1/20. A walk over an empty layer takes milliseconds, one over a million files seconds. */
const costFactor = 20;
const leastPauseMs = 500;
/** Without the free space as a hint, every walk is a blind one. */
const blindPauseMs = 3_000;
/** With it too there is one so often: others who give disk back hide what is taken. */
const longestPauseMs = 5_000;

/**
 * Holds a writable layer to its limit, which the engine cannot do on most file systems. While the disk as a whole has not lost as much as the layer
 * may still grow, the layer has hardly grown over its limit, so nothing is walked but once in a while; only then is it measured. `onOver` is called when it is over, and
 * again only when it has grown since: who removes files may.
 */
export function watchStorage(
  probe: StorageProbe,
  limitBytes: number,
  onOver: (bytes: number) => Promise<void>,
  clock: WatchClock = realClock,
): StorageWatch {
  const exceeded: { at: number; bytes: number; limitBytes: number }[] = [];
  const stopped = new AbortController();
  let known = 0;
  let freeThen: number | undefined;
  let peakBytes = 0;
  let nextWalk = 0;
  let lastWalk = clock.now();
  /** Its size when what ran was last ended; 0 once it is within its limit again. */
  let endedAt = 0;

  const measure = async (): Promise<number | undefined> => {
    const begun = clock.now();
    const free = await probe.free();
    const bytes = await probe.measure();
    nextWalk = clock.now() + Math.max(free === undefined ? blindPauseMs : leastPauseMs, (clock.now() - begun) * costFactor);
    if (bytes === undefined) return undefined;
    known = bytes;
    lastWalk = clock.now();
    freeThen = free;
    peakBytes = Math.max(peakBytes, bytes);
    return bytes;
  };
  const mayBeOver = async (): Promise<boolean> => {
    const free = await probe.free();
    if (free === undefined || freeThen === undefined || clock.now() - lastWalk > longestPauseMs) return true;
    freeThen = Math.max(freeThen, free); // someone else gave some back: what is taken from now on counts from here
    return known + Math.max(0, freeThen - free) > limitBytes;
  };
  const watch = async (): Promise<void> => {
    freeThen = await probe.free();
    for (;;) {
      await clock.sleep(tickMs, stopped.signal);
      if (clock.now() < nextWalk || !(await mayBeOver())) continue;
      const bytes = await measure();
      if (bytes !== undefined && bytes <= limitBytes) endedAt = 0;
      if (bytes === undefined || bytes <= limitBytes || bytes <= endedAt) continue;
      endedAt = bytes;
      exceeded.push({ at: clock.now(), bytes, limitBytes });
      if (stopped.signal.aborted) continue;
      await onOver(bytes).catch(() => undefined); // a container that is gone has nothing to end
      // What was still being written when it was measured has grown by what came until its end.
      if (!stopped.signal.aborted) endedAt = Math.max(bytes, (await measure()) ?? 0);
    }
  };
  watch().catch(() => undefined); // ended by `stop`
  return {
    exceeded,
    get peakBytes() {
      return peakBytes;
    },
    measure,
    stop: () => stopped.abort(),
  };
}
