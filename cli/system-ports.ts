import { setTimeout as wait } from "node:timers/promises";
import { performance } from "node:perf_hooks";
import type { Clock, Random, User } from "../harness/agent/ports.ts";

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

/** Uniform in [0, 1), the same sequence for the same seed (mulberry32, public domain). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** Nobody is there: every question stays without an answer. */
export const nobody: User = { ask: async () => undefined };
