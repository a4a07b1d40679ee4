import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import type { ContainerLog } from "../daemon/event-watch.ts";

export type ContainerState = Docker.ContainerInspectInfo["State"];

/** Far longer than an event is on its way; where the stream is broken, `daemonLost` says so. */
const longestMs = 5_000;
/** For a daemon that does not list processes, having no `ps`, and for one that takes long to. */
const unlistedMs = 500;
const lookMs = 50;

/**
 * How a container stands, once the daemon has told how it came to that: of one that has ended, what ended it is heard a moment after it shows. And one that
 * was killed is called running for some 30 ms, while its streams have ended: so the daemon is asked for its first process, too.
 * `gone`: removed. `unknown`: the daemon does not answer.
 */
export async function settledState(container: Docker.Container, log: ContainerLog): Promise<ContainerState | "gone" | "unknown"> {
  const begun = Date.now();
  for (;;) {
    const state = await stateOf(container);
    const waited = Date.now() - begun;
    if (typeof state !== "object" || waited > longestMs || log.closed) return state;
    if (state.Running) {
      const runs = await Promise.race([firstRuns(container, state.Pid), sleep(unlistedMs, undefined, { ref: false })]);
      if (runs === true || (runs === undefined && waited > unlistedMs)) return state;
    } else if (hasDied(log, Math.floor(Date.parse(state.StartedAt)))) return state;
    await sleep(lookMs);
  }
}

const hasDied = ({ events, daemonLost }: ContainerLog, since: number): boolean =>
  events.some(({ type, at }) => type === "die" && at >= since) || daemonLost.some(({ to }) => to === undefined);

/** Whether the process that a container began with is among those that the daemon finds in it now. Undefined where it cannot look. */
async function firstRuns(container: Docker.Container, pid: number): Promise<boolean | undefined> {
  try {
    const { Titles: titles, Processes: rows } = await container.top({ ps_args: "-eo pid" }); // no more: a process can keep its other lines from being read
    const at = titles.indexOf("PID");
    if (at === -1) return undefined;
    // null for rows of a container that has just ended, which its types leave out. Podman counts as the container does.
    return ((rows as readonly string[][] | null) ?? []).some((row) => row[at] === String(pid) || row[at] === "1");
  } catch (error) {
    return statusOf(error) === 409 ? false : undefined; // "is not running"
  }
}

function stateOf(container: Docker.Container): Promise<ContainerState | "gone" | "unknown"> {
  return container.inspect().then(
    ({ State }) => State,
    (error: unknown) => (statusOf(error) === 404 ? "gone" : "unknown"),
  );
}

const statusOf = (error: unknown): unknown => (error instanceof Error && "statusCode" in error ? error.statusCode : undefined);
