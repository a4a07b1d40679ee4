import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import type { ContainerLog } from "../daemon/event-watch.ts";

export type ContainerState = Docker.ContainerInspectInfo["State"];

/** Far longer than an event is on its way; where the stream is broken, `daemonLost` says so. */
const longestMs = 5_000;
const lookMs = 50;

/**
 * How a container stands, once the daemon has told how it came to that: of one that has ended, what ended it is heard a moment after it shows.
 * `gone`: removed. `unknown`: the daemon does not answer.
 */
export async function settledState(container: Docker.Container, log: ContainerLog): Promise<ContainerState | "gone" | "unknown"> {
  const until = Date.now() + longestMs;
  for (;;) {
    const state = await stateOf(container);
    if (typeof state !== "object" || state.Running || Date.now() > until || log.closed) return state;
    const begun = Math.floor(Date.parse(state.StartedAt));
    if (log.events.some(({ type, at }) => type === "die" && at >= begun) || log.daemonLost.some(({ to }) => to === undefined)) return state;
    await sleep(lookMs);
  }
}

function stateOf(container: Docker.Container): Promise<ContainerState | "gone" | "unknown"> {
  return container.inspect().then(
    ({ State }) => State,
    (error: unknown) => (error instanceof Error && "statusCode" in error && error.statusCode === 404 ? "gone" : "unknown"),
  );
}
