import { setImmediate as turn } from "node:timers/promises";

/** For a long loop of calls that do not wait: lets everything else have its turn at every `every`th call. */
export function breather(every = 200): () => Promise<void> | undefined {
  let calls = 0;
  return () => (++calls % every === 0 ? turn() : undefined);
}
