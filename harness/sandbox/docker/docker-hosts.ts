import { InfraError, messageOf } from "../../errors.ts";
import type { PreparedEnvironment, SandboxProvider } from "../provider.ts";
import type { Sandbox } from "../sandbox.ts";
import { createDockerProvider } from "./docker-provider.ts";

interface Host {
  readonly address: string;
  readonly provider: SandboxProvider;
  /** Sandboxes there now. */
  running: number;
  /** When an attempt was last given to it, as an ordinal. */
  placed: number;
  /** What the sandboxes there may take together. */
  promisedBytes: number;
  cpus: number;
  memoryBytes: number;
}

/**
 * Several daemons as one: images are made on each, attempts spread over those that answer, by sandboxes for each processor among those that have the
 * memory left, and all sandboxes of an attempt are made on the same. A daemon that goes away fails its attempts for the machinery's reasons; the next ones go to the others, and to it
 * again when it is back.
 * @param addresses as in DOCKER_HOST
 */
export function createDockerHosts(addresses: readonly string[]): SandboxProvider {
  const hosts: Host[] = addresses.map((address) => {
    const provider = createDockerProvider({ connection: { host: address } });
    return { address, provider, running: 0, placed: 0, promisedBytes: 0, cpus: 1, memoryBytes: Infinity };
  });
  let ordinal = 0;
  const answering = async (): Promise<Host[]> => {
    const answers = await Promise.all(hosts.map(async (host) => ((await host.provider.available()) === true ? [host] : [])));
    return answers.flat();
  };
  const some = async (): Promise<Host[]> => {
    const found = await answering();
    if (found.length > 0) return found;
    throw new InfraError(`None of the Docker daemons responds (${addresses.join(", ")}); start one of them.`);
  };
  const sumOver = async (ask: (provider: SandboxProvider) => Promise<number>): Promise<number> => {
    const removed = await Promise.allSettled((await answering()).map(({ provider }) => ask(provider)));
    return removed.reduce((sum, result) => sum + (result.status === "fulfilled" ? result.value : 0), 0);
  };
  return {
    kind: "docker",
    async available() {
      const answers = await Promise.all(hosts.map(({ provider }) => provider.available()));
      return answers.includes(true) ? true : answers.filter((answer) => answer !== true).join(" ");
    },
    async check(environment) {
      const [first] = await some();
      await first?.provider.check?.(environment);
    },
    async prepare(environment, o) {
      const made = new Map<Host, Promise<PreparedEnvironment>>();
      const on = (host: Host): Promise<PreparedEnvironment> => {
        const known = made.get(host);
        if (known) return known;
        const asked = host.provider.prepare(environment, o);
        made.set(host, asked);
        asked.catch(() => made.delete(host));
        return asked;
      };
      const results = await Promise.allSettled((await some()).map(async (host) => counted(host, await on(host), 0)));
      const first = results.find((result) => result.status === "fulfilled")?.value;
      if (!first) throw results.find((result) => result.status === "rejected")?.reason;
      const place: PreparedEnvironment["place"] = async ({ memoryBytes = 0 } = {}) => {
        const failures: string[] = [];
        const over = (host: Host): number => Math.max(0, host.promisedBytes + memoryBytes - host.memoryBytes);
        const candidates = (await some()).toSorted(
          (a, b) => over(a) - over(b) || a.running / a.cpus - b.running / b.cpus || a.placed - b.placed,
        );
        for (const host of candidates) {
          host.placed = ++ordinal;
          try {
            return counted(host, await on(host), memoryBytes);
          } catch (error) {
            if (o?.signal?.aborted) throw error;
            failures.push(`${host.address}: ${messageOf(error)}`);
          }
        }
        throw new InfraError(`The image of ${environment.name} could be made on no Docker daemon: ${failures.join(" ")}`);
      };
      return { ...first, place };
    },
    async capacity() {
      const each = (
        await Promise.all(
          hosts.map(async (host) => {
            const own = await host.provider.capacity?.().catch(() => undefined);
            if (own) [host.cpus, host.memoryBytes] = [own.cpus, own.memoryBytes];
            return own ?? [];
          }),
        )
      ).flat();
      if (each.length === 0) throw new InfraError(`None of the Docker daemons responds (${addresses.join(", ")}); start one of them.`);
      const local = each.every((one) => one.local);
      const folder = each[0]?.folder;
      // Daemons on this machine share it.
      const sum = (of: (one: (typeof each)[number]) => number): number =>
        local ? Math.max(...each.map(of)) : each.reduce((total, one) => total + of(one), 0);
      return {
        cpus: sum(({ cpus }) => cpus),
        memoryBytes: sum(({ memoryBytes }) => memoryBytes),
        local,
        ...(local && folder !== undefined ? { folder } : {}),
        ...(local && each[0]?.pids !== undefined ? { pids: each[0].pids } : {}),
        ...(local ? {} : { machines: each }),
      };
    },
    trim: (bytes) => sumOver(async (provider) => (await provider.trim?.(bytes)) ?? 0),
    sweep: () => sumOver((provider) => provider.sweep()),
    tidy: (job) => sumOver(async (provider) => (await provider.tidy?.(job)) ?? 0),
  };
}

/** The same, with its sandboxes, and so many bytes for each, counted as the host's until they are closed. */
function counted(host: Host, prepared: PreparedEnvironment, memoryBytes: number): PreparedEnvironment {
  const { createFrom } = prepared;
  const count = async <T>(make: () => Promise<T>, sandboxOf: (made: T) => Sandbox): Promise<T> => {
    host.running++;
    host.promisedBytes += memoryBytes;
    let counting = true;
    const leave = (): void => {
      if (!counting) return;
      counting = false;
      host.running--;
      host.promisedBytes -= memoryBytes;
    };
    try {
      const made = await make();
      const sandbox = sandboxOf(made);
      const close = sandbox.close.bind(sandbox);
      // On the object itself: a wrapper around it would lose what its class keeps private.
      sandbox.close = () => close().finally(leave);
      return made;
    } catch (error) {
      leave();
      throw error;
    }
  };
  return {
    ...prepared,
    create: (o) =>
      count(
        () => prepared.create(o),
        (sandbox) => sandbox,
      ),
    ...(createFrom
      ? {
          createFrom: (left, o) =>
            count(
              () => createFrom(left, o),
              ({ sandbox }) => sandbox,
            ),
        }
      : {}),
  };
}
