import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { RunEvent } from "../../harness/events/schema.ts";

/** Of a task whose agent's time a test ends. */
export const agentSeconds = 600;

/**
 * Ports of a bench in which the time of each agent that has `agentSeconds` is over when `over` is called, or as `after` says, and not by this machine's
 * clock: how busy it is decides nothing.
 * @param after how many milliseconds after an event of its run an agent's time is over; undefined: not by this event
 */
export function endByTest(
  real: BenchPorts,
  after: (event: RunEvent) => number | undefined = () => undefined,
): { readonly ports: BenchPorts; readonly over: () => void } {
  const open = new Set<() => void>();
  const starting: (() => void)[] = [];
  const ports: BenchPorts = {
    ...real,
    clock: {
      ...real.clock,
      sleep(ms, signal) {
        if (ms !== agentSeconds * 1000) return real.clock.sleep(ms, signal);
        return new Promise((resolve, reject) => {
          open.add(resolve);
          starting.push(resolve);
          signal?.addEventListener("abort", () => (open.delete(resolve), reject(signal.reason as Error))); // what abort() gives
        });
      },
    },
    run(request) {
      const end = starting.pop(); // its time began just before
      return real.run({
        ...request,
        onEvent(event) {
          request.onEvent?.(event);
          const ms = after(event);
          if (ms !== undefined && end) setTimeout(end, ms);
        },
      });
    },
  };
  return { ports, over: () => open.forEach((end) => end()) };
}
