import type { Clock } from "../../contract/ports.ts";

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
