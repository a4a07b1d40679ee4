import type { Clock } from "../../contract/ports.ts";
import { ModelError } from "../../contract/model-error.ts";

/**
 * Aborts a stream that has gone silent. The SDKs' timeout ends with the response's headers; a server that hangs later would hang the
 * run. `signal` follows the caller's as well. Call `alive` on each piece that arrives, `stop` in the end, always.
 */
export function stallWatch(o: { clock: Clock; idleMs: number; signal: AbortSignal; who: string }): {
  readonly signal: AbortSignal;
  alive(): void;
  stop(): void;
} {
  const stalled = new AbortController();
  const stopped = new AbortController();
  let last = o.clock.now();
  const watch = async (): Promise<void> => {
    for (;;) {
      const left = last + o.idleMs - o.clock.now();
      if (left <= 0) break;
      await o.clock.sleep(left, stopped.signal);
      if (stopped.signal.aborted) return;
    }
    stalled.abort(new ModelError("timeout", `${o.who} sent nothing for ${Math.round(o.idleMs / 1000)} s.`));
  };
  // `sleep` rejects when it is stopped, which is how a watch normally ends.
  watch().catch(() => {});
  return {
    signal: AbortSignal.any([o.signal, stalled.signal]),
    alive: () => void (last = o.clock.now()),
    stop: () => stopped.abort(),
  };
}
