import type Docker from "dockerode";
import type { SandboxEvent } from "../../sandbox.ts";
import { thisOwner } from "../../owner.ts";
import { StringDecoder } from "node:string_decoder";

/** What the daemon says of one container, as it happens. */
export interface ContainerLog {
  readonly events: readonly SandboxEvent[];
  readonly daemonLost: readonly { readonly from: number; readonly to?: number }[];
  /**
   * The next kill and the death that follows are our own asking. Answers how to take that back, where it came to nothing: what was heard meanwhile and
   * taken for ours was another person's then.
   */
  expectKill(): () => void;
  /** Listens no more; what was heard stays. */
  close(): void;
  readonly closed: boolean;
}

export interface EventWatch {
  /** A log for a container that has not been started yet. Never throws: a stream that cannot be had is a span of `daemonLost`. */
  container(id: string): Promise<ContainerLog>;
}

const types = ["oom", "kill", "die", "stop", "restart", "pause", "destroy"] as const;
/** Enough for any story; an agent can make the daemon report a thousand times. */
const maxEvents = 200;
const retryMs = 300;

interface OpenLog {
  readonly events: (SandboxEvent & { ours: boolean })[];
  readonly daemonLost: { from: number; to?: number }[];
  readonly expected: { kill: number; die: number };
}

/**
 * One stream of events for all containers of this process. A look back would not do: the daemon remembers its last 256 events, every exec among them.
 * The stream keeps no process alive, and is broken only where the daemon is.
 */
export function createEventWatch(docker: Docker): EventWatch {
  const logs = new Map<string, OpenLog>();
  let open: Promise<void> | undefined;
  /** Seconds of the daemon's clock: what was missed is asked for again. */
  let heard: number | undefined;

  const connect = async (): Promise<void> => {
    const filters = { type: ["container" as const], event: [...types], label: [`forge.owner=${thisOwner().process}`] };
    const stream = await docker.getEvents({ filters, ...(heard === undefined ? {} : { since: heard }) });
    unref(stream);
    stream.on("data", jsonLines(take));
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      lost();
    };
    stream.on("end", end).on("close", end).on("error", end);
    const to = Date.now();
    for (const { daemonLost } of logs.values()) for (const span of daemonLost) span.to ??= to;
  };
  const lost = (): void => {
    const from = Date.now();
    for (const { daemonLost } of logs.values())
      if (daemonLost.at(-1)?.to !== undefined || daemonLost.length === 0) daemonLost.push({ from });
    open = undefined;
    // Nobody asks: the next container opens it.
    if (logs.size > 0) setTimeout(() => void reopen(), retryMs).unref();
  };
  const reopen = (): Promise<void> => (open ??= connect().catch(lost));

  const take = (line: unknown): void => {
    // The shape is the Engine API's.
    const { Action, Actor, timeNano } = line as {
      Action: string;
      Actor: { ID: string; Attributes: Record<string, string> };
      timeNano: number;
    };
    heard = timeNano / 1e9;
    const log = logs.get(Actor.ID);
    const type = types.find((one) => one === Action);
    if (!log || !type) return;
    const ours = (type === "kill" || type === "die") && log.expected[type] > 0;
    if (ours) log.expected[type] -= 1;
    const { exitCode, signal } = Actor.Attributes;
    const at = Math.floor(timeNano / 1e6);
    // A stream that begins again may repeat its last event.
    if (log.events.some((event) => event.at === at && event.type === type)) return;
    if (log.events.length >= maxEvents) log.events.splice(maxEvents / 2, 1);
    log.events.push({
      at,
      type,
      ...(type === "die" && exitCode !== undefined ? { exitCode: Number(exitCode) } : {}),
      ...(type === "kill" && signal !== undefined ? { signal: Number(signal) } : {}),
      ours,
    });
  };

  return {
    async container(id) {
      const log: OpenLog = { events: [], daemonLost: [], expected: { kill: 0, die: 0 } };
      logs.set(id, log);
      await reopen();
      return {
        events: log.events,
        daemonLost: log.daemonLost,
        expectKill() {
          log.expected.kill += 1;
          log.expected.die += 1;
          const before = log.events.length;
          return () => {
            for (const type of ["kill", "die"] as const) {
              const taken = log.events.slice(before).find((event) => event.type === type && event.ours);
              if (taken) taken.ours = false;
              else log.expected[type] -= 1;
            }
          };
        },
        close: () => void logs.delete(id),
        get closed() {
          return logs.get(id) !== log;
        },
      };
    },
  };
}

/** A stream nobody waits for must not keep the process alive. */
function unref(stream: NodeJS.ReadableStream): void {
  // Node's response has its socket; the client's type is any stream.
  const { socket } = stream as { socket?: { unref?(): void } };
  socket?.unref?.();
}

/** Takes the chunks of a stream that has one JSON value a line, however they are cut; a line that is no JSON is passed over. */
function jsonLines(take: (value: unknown) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        continue;
      }
      take(value);
    }
  };
}
