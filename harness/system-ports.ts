import { setTimeout as wait } from "node:timers/promises";
import { performance } from "node:perf_hooks";
import { seededRandom } from "./seeded-random.ts";
import type { Clock, Random, User } from "./contract/ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted(); // the abort's own reason, not the timer's wrapping of it
      throw error;
    }
  },
};

/** Microseconds on a clock that only goes forward. */
export const micros = (): number => performance.now() * 1000;

/** The random port of a run: the same sequence for the same seed. */
export const randomPort = (seed: number): Random => ({ next: seededRandom(seed) });

/** Nobody is there: every question stays without an answer. */
export const nobody: User = { ask: async () => undefined };

/** A clock whose sleep takes no time and moves it on: what waits for a simulated service need not be waited for. */
export function virtualClock(base: Clock): Clock {
  let skipped = 0;
  return {
    now: () => base.now() + skipped,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      skipped += Math.max(ms, 0);
    },
  };
}
