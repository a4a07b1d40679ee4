import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../../errors.ts";
import type { Compose, Service } from "../../compose.ts";
import type { CreateOptions } from "../../provider.ts";
import { containerOptions } from "../container/container-limits.ts";
import { idle, ownLabels, startContainer } from "../container/start-container.ts";
import type { TaskImage, TaskImages } from "../image/task-image.ts";
import { fillFolders, mountedFolders, placeFiles } from "./own-files.ts";
import { aliases, withService, type GroupNames } from "./service-options.ts";

/** The containers of one trial of a task with services, running. */
export interface ServiceGroup {
  readonly main: Docker.Container;
  readonly containers: ReadonlyMap<string, { readonly container: Docker.Container; readonly workdir: string }>;
  /** Networks of the main container, with its names there. */
  readonly mainNetworks: readonly { readonly name: string; readonly aliases: readonly string[] }[];
  /** Removes containers, networks and volumes. Safe to call twice. */
  close(): Promise<void>;
}

const healthyTimeoutMs = 600_000;

/**
 * Starts the services of a compose file in their order, each on its networks, and waits for what others depend on and for every health check, as
 * `compose up --wait` does. Networks and volumes are the trial's own. What was started is removed when something fails.
 * @param begun called with each container before it starts
 */
export async function startGroup(
  docker: Docker,
  compose: Compose,
  images: TaskImages,
  o: CreateOptions,
  begun: (service: string, container: Docker.Container) => Promise<void>,
): Promise<ServiceGroup> {
  const id = randomBytes(6).toString("hex");
  const folders = mountedFolders(compose);
  const names: GroupNames = {
    network: (name) => `forge-${id}-${name}`,
    volume: (name) => `forge-${id}-${name}`,
    folder: (source) => `forge-${id}.files-${folders.indexOf(source)}`,
  };
  const containers = new Map<string, { container: Docker.Container; workdir: string }>();
  const close = once(() =>
    removeGroup(
      docker,
      compose,
      names,
      [...containers.values()].map(({ container }) => container),
    ),
  );
  try {
    await makeNetworks(docker, compose, names, o);
    await fillFolders(docker, compose, { volumeOf: names.folder, image: images.main.id, ...(o.labels ? { labels: o.labels } : {}) });
    for (const service of compose.services) {
      const isMain = service.name === compose.main;
      const image = isMain ? images.main : images.services.get(service.name);
      if (!image) throw new ConfigError(`${compose.file}: service "${service.name}" has no image.`);
      await waitForDependencies(service, containers);
      // A task without a network has none for its agent; its services still have theirs, as under Harbor.
      const placed = isMain && !o.network ? { ...service, networks: [] } : service;
      const options = withService(isMain ? mainOptions(image, service, o) : serviceOptions(image, service, o), placed, names);
      const container = await docker.createContainer(options).catch((error: unknown) => {
        throw new InfraError(`No container could be made for service "${service.name}" of ${compose.file}: ${messageOf(error)}.`);
      });
      containers.set(service.name, { container, workdir: service.workingDir ?? image.workdir });
      for (const { name, aliases: more } of placed.networks.slice(1))
        await docker
          .getNetwork(names.network(name))
          .connect({ Container: container.id, EndpointConfig: { Aliases: aliases(service, more) } });
      await placeFiles(container, service);
      await begun(service.name, container);
      await startContainer(container);
    }
    const main = containers.get(compose.main)?.container;
    if (!main) throw new ConfigError(`${compose.file}: there is no service "${compose.main}", in which the agent would work; add it.`);
    for (const { name } of compose.services) await healthy(name, containers);
    const networks = compose.services.find(({ name }) => name === compose.main)?.networks ?? [];
    const mainNetworks = networks.map((one) => ({ name: names.network(one.name), aliases: [compose.main, ...one.aliases] }));
    return { main, containers, mainNetworks, close };
  } catch (error) {
    await close().catch(() => undefined); // the sweep tries again; the error that came first is the one to tell
    throw error;
  }
}

function mainOptions(image: TaskImage, service: Service, o: CreateOptions): Docker.ContainerCreateOptions {
  const program = [...(service.entrypoint ?? image.entrypoint), ...(service.command ?? idle)];
  const isIdle = /^(sleep infinity|tail -f \/dev\/null)$/.test(program.join(" ").replace(/^(\/bin\/)?(ba)?sh -c /, ""));
  return containerOptions(image.id, { ...o, env: { ...service.environment, ...o.env } }, isIdle ? [] : program);
}

function serviceOptions(image: TaskImage, service: Service, o: CreateOptions): Docker.ContainerCreateOptions {
  // The task's limits are the agent's container's; a service without its own still must not take the whole machine.
  const { labels, cgroupParent } = o;
  const kept = { ...(labels ? { labels } : {}), ...(cgroupParent === undefined ? {} : { cgroupParent }) };
  const base = containerOptions(image.id, { ...o.services, ...kept, env: service.environment });
  const { healthcheck } = service;
  return {
    Image: image.id,
    ...(base.Env ? { Env: base.Env } : {}),
    Labels: { ...ownLabels(o.labels), "forge.service": service.name },
    ...(service.entrypoint ? { Entrypoint: [...service.entrypoint] } : {}),
    ...(service.command ? { Cmd: [...service.command] } : {}),
    ...(healthcheck === "none" ? { Healthcheck: { Test: ["NONE"] } } : {}),
    ...(typeof healthcheck === "object"
      ? {
          Healthcheck: {
            Test: [...healthcheck.test],
            Interval: nanoseconds(healthcheck.intervalMs),
            Timeout: nanoseconds(healthcheck.timeoutMs),
            StartPeriod: nanoseconds(healthcheck.startPeriodMs),
            Retries: healthcheck.retries,
          },
        }
      : {}),
    HostConfig: { ...base.HostConfig, Init: service.init, LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } } },
  };
}

/** The engine takes whole ones alone: 1.001 s in a compose file are 1000.9999999999999 ms. */
const nanoseconds = (ms: number): number => Math.round(ms * 1e6);

async function makeNetworks(docker: Docker, compose: Compose, names: GroupNames, o: CreateOptions): Promise<void> {
  const labels = ownLabels(o.labels);
  for (const { name, internal } of compose.networks) {
    try {
      await docker.createNetwork({ Name: names.network(name), Driver: "bridge", Internal: internal, Labels: labels });
    } catch (error) {
      // The pool of addresses holds about 30; the engine's message then names a plugin that is not there.
      throw new InfraError(
        `The network "${name}" of ${compose.file} could not be made (${messageOf(error)}); with about 30 networks there are no addresses left: run fewer trials at a time with --jobs, or remove networks.`,
      );
    }
  }
  for (const name of compose.volumes) await docker.createVolume({ Name: names.volume(name), Labels: labels });
}

async function waitForDependencies(service: Service, containers: ServiceGroup["containers"]): Promise<void> {
  for (const { service: on, condition } of service.dependsOn) {
    if (condition === "healthy") await healthy(on, containers);
    if (condition !== "completed") continue;
    const ended = await containers.get(on)?.container.wait();
    if (ended?.StatusCode !== 0)
      throw new InfraError(`Service "${on}", on which "${service.name}" depends, ended with exit code ${ended?.StatusCode}.`);
  }
}

/** Waits until a service's own health check passes, where it has one. The main container has none of the engine's: its check is run by Forge. */
async function healthy(name: string, containers: ServiceGroup["containers"]): Promise<void> {
  const container = containers.get(name)?.container;
  if (!container) return;
  const deadline = Date.now() + healthyTimeoutMs;
  for (;;) {
    const { State: state } = await container.inspect();
    const status = state.Health?.Status;
    if (status === undefined || status === "none" || status === "healthy") return;
    if (status === "unhealthy" || !state.Running || Date.now() > deadline) {
      const said = state.Health?.Log.at(-1)?.Output.trim().slice(-300);
      throw new InfraError(
        `Service "${name}" did not become healthy (${state.Running ? status : "it has ended"})${said ? `: ${said}` : ""}.`,
      );
    }
    await sleep(100);
  }
}

async function removeGroup(docker: Docker, compose: Compose, names: GroupNames, containers: readonly Docker.Container[]): Promise<void> {
  const gone = (error: unknown): void => {
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
    if (status !== 404 && status !== 409) throw new InfraError(`A service of ${compose.file} could not be removed: ${messageOf(error)}.`);
  };
  await Promise.all(containers.map((container) => container.remove({ force: true, v: true }).catch(gone)));
  await Promise.all([
    ...compose.networks.map(({ name }) => docker.getNetwork(names.network(name)).remove().catch(gone)),
    ...compose.volumes.map((name) => docker.getVolume(names.volume(name)).remove().catch(gone)),
    ...mountedFolders(compose).map((source) => docker.getVolume(names.folder(source)).remove().catch(gone)),
  ]);
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}
