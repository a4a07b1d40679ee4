import type Docker from "dockerode";
import { InfraError, messageOf } from "../../errors.ts";
import type { Compose } from "../compose.ts";
import { waitHealthy } from "../healthcheck.ts";
import type { CreateOptions } from "../provider.ts";
import type { Sandbox } from "../sandbox.ts";
import { startGroup } from "./compose/start-group.ts";
import { DockerSandbox } from "./container/docker-sandbox.ts";
import type { ContainerLog, EventWatch } from "./daemon/event-watch.ts";
import { networkOf } from "./sandbox-network.ts";
import { startGateway, type GatewayPlan } from "./gateway/start-gateway.ts";
import { containerOptions } from "./container/container-limits.ts";
import { idle, joinedTo, startContainer } from "./container/start-container.ts";
import { openPort } from "./port/open-port.ts";
import type { RelayPool } from "./port/relay-pool.ts";
import { switchNetwork } from "./network/switch-network.ts";
import type { TaskImage, TaskImages } from "./image/task-image.ts";

/** What may be made beside a sandbox. */
export interface Beside {
  /** Of the gateway that it stands behind. */
  readonly gateway?: GatewayPlan | undefined;
  /** The image of what opens a port on its loopback. */
  readonly relay: () => Promise<string>;
  /** Of relays that are there before their sandbox. */
  readonly relays?: RelayPool | undefined;
}

/** A sandbox that is one container, behind a gateway where there is a plan for one, up and healthy. */
export async function createSingle(
  docker: Docker,
  events: EventWatch,
  image: TaskImage,
  workdir: string,
  o: CreateOptions,
  { gateway: plan, relay, relays }: Beside,
): Promise<DockerSandbox> {
  if (o.port && relays && !plan) return createWithPort(docker, events, image, workdir, o, relays);
  const program = programOf(image);
  const gateway = plan && (await startGateway(docker, events, plan, o));
  const joined = await joinedTo(docker, o, gateway);
  const container = await docker.createContainer(containerOptions(image.id, o, program, joined)).catch(async (error: unknown) => {
    await gateway?.remove().catch(() => undefined); // the sweep removes what cannot be removed now
    throw new InfraError(`No container could be made from ${image.id}: ${messageOf(error)}.`);
  });
  const sandbox = new DockerSandbox(container, workdir, {
    log: await events.container(container.id),
    ...networkOf(docker, container, gateway),
    openPort: async (to) =>
      openPort(docker, { image: await relay(), network: `container:${gateway?.id ?? container.id}`, labels: o.labels }, to),
    healthy: (one, signal) => healthy(one, image, signal),
  });
  return ready(sandbox, image, o, () => startContainer(container));
}

/** One in the network of a relay, on whose port it begins. */
async function createWithPort(
  docker: Docker,
  events: EventWatch,
  image: TaskImage,
  workdir: string,
  o: CreateOptions,
  relays: RelayPool,
): Promise<DockerSandbox> {
  const wish = { network: (await joinedTo(docker, o)).network ?? "none", labels: o.labels, cgroupParent: o.cgroupParent };
  const relay = await relays.take(wish);
  const joined = { relay: relay.container.id };
  const container = await docker.createContainer(containerOptions(image.id, o, programOf(image), joined)).catch(async (error: unknown) => {
    await relay.remove();
    throw new InfraError(`No container could be made from ${image.id}: ${messageOf(error)}.`);
  });
  const sandbox = new DockerSandbox(container, workdir, {
    log: await events.container(container.id),
    ...networkOf(docker, relay.container, undefined),
    async openPort({ port }) {
      relay.carry(port);
      if (o.port?.more) relays.next(wish); // now the agent is what takes time
      return { port: relay.port, close: async () => relay.carry(undefined) };
    },
    healthy: (one, signal) => healthy(one, image, signal),
    async remove() {
      try {
        await container.remove({ force: true, v: true });
      } finally {
        await relay.remove();
      }
    },
  });
  return ready(sandbox, image, o, () => startContainer(container));
}

const programOf = ({ entrypoint }: TaskImage): readonly string[] => (entrypoint.length === 0 ? [] : [...entrypoint, ...idle]);

/** A sandbox that is the main one of several containers, all up and healthy. */
export async function createComposed(
  docker: Docker,
  events: EventWatch,
  compose: Compose,
  images: TaskImages,
  workdir: string,
  o: CreateOptions,
  { relay }: Pick<Beside, "relay">,
): Promise<DockerSandbox> {
  const logs = new Map<string, ContainerLog>();
  const closeLogs = (): void => logs.forEach((log) => log.close());
  const group = await startGroup(docker, compose, images, o, async (name, container) => {
    logs.set(name, await events.container(container.id));
  }).catch((error: unknown) => {
    closeLogs();
    throw error;
  });
  // Whoever of the group asks, all of it goes: nobody listens to what the daemon says of that.
  const remove = (): Promise<void> => {
    closeLogs();
    return group.close();
  };
  const quiet: ContainerLog = { events: [], daemonLost: [], expectKill: () => () => undefined, close: () => undefined, closed: true };
  const logOf = (name: string): ContainerLog => logs.get(name) ?? quiet;
  const services = new Map(
    [...group.containers]
      .filter(([name]) => name !== compose.main)
      .map(([name, { container, workdir: at }]) => [name, new DockerSandbox(container, at, { log: logOf(name), remove })] as const),
  );
  const sandbox = new DockerSandbox(group.main, workdir, {
    log: logOf(compose.main),
    switchNetwork: (to) => switchNetwork(docker, group.main, to, group.mainNetworks),
    openPort: async (to) => openPort(docker, { image: await relay(), network: `container:${group.main.id}`, labels: o.labels }, to),
    service: (name) => (name === compose.main ? sandbox : services.get(name)),
    others: () => [...services.values()],
    remove,
    healthy: (one, signal) => healthy(one, images.main, signal),
  });
  const { storageMb } = o.services ?? {};
  return ready(sandbox, images.main, o, async () => {
    if (storageMb !== undefined) for (const service of services.values()) await service.limitStorage(storageMb * 1024 * 1024);
  });
}

async function healthy(sandbox: Sandbox, { healthcheck }: TaskImage, signal?: AbortSignal): Promise<void> {
  if (healthcheck) await waitHealthy(sandbox, healthcheck, { what: "the image", ...(signal ? { signal } : {}) });
}

async function ready(sandbox: DockerSandbox, image: TaskImage, o: CreateOptions, start: () => Promise<void>): Promise<DockerSandbox> {
  try {
    await start();
    if (o.storageMb !== undefined) await sandbox.limitStorage(o.storageMb * 1024 * 1024);
    await sandbox.warm();
    await healthy(sandbox, image);
    return sandbox;
  } catch (error) {
    await sandbox.close().catch(() => undefined);
    throw error;
  }
}
