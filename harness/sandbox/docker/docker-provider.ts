import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../errors.ts";
import { pull } from "../base-image.ts";
import { hasEnded } from "../owner.ts";
import type { CreateOptions, Environment, SandboxProvider } from "../provider.ts";
import { buildImage } from "./build-image.ts";
import { checkEnvironment } from "./check-environment.ts";
import { connect, connectionFromEnvironment, daemonAnswers, type DockerConnection } from "./connection.ts";
import { DockerSandbox } from "./docker-sandbox.ts";
import { createEventWatch, type EventWatch } from "./event-watch.ts";
import { containerOptions, startContainer } from "./start-container.ts";

export interface DockerProviderOptions {
  /** Default: DOCKER_HOST, else Docker's socket, else Podman's. */
  readonly connection?: DockerConnection;
}

const defaultBuildTimeoutMs = 600_000;

/** Sandboxes as containers of a Docker daemon, or of anything that speaks its Engine API. */
export function createDockerProvider(o: DockerProviderOptions = {}): SandboxProvider {
  const connection = o.connection ?? connectionFromEnvironment();
  const docker = connect(connection);
  const events = createEventWatch(docker);
  return {
    kind: "docker",
    available: () => daemonAnswers(docker, connection),
    check: (environment) => checkEnvironment(docker, environment),
    async prepare(environment, options = {}) {
      const { reference, deviations } = await findImage(docker, environment, options);
      const image = await docker.getImage(reference).inspect();
      const workdir = image.Config.WorkingDir || "/";
      return { digest: image.Id, workdir, deviations, create: (create = {}) => createSandbox(docker, events, image.Id, workdir, create) };
    },
    sweep: () => sweep(docker),
  };
}

async function findImage(docker: Docker, environment: Environment, o: Parameters<SandboxProvider["prepare"]>[1] & {}) {
  const { name, folder, image, buildTimeoutMs: timeoutMs = defaultBuildTimeoutMs } = environment;
  if (image !== undefined) {
    if (!(await pull(docker, image, o.signal)))
      throw new InfraError(
        `The image ${image} of task ${name} is not here and cannot be pulled; load it with \`docker load\`, or check the registry.`,
      );
    return { reference: image, deviations: [] };
  }
  if (folder === undefined) throw new ConfigError(`Task ${name} has neither environment/Dockerfile nor docker_image; write one of them.`);
  const { tag, deviations } = await buildImage(docker, { name, folder, timeoutMs, signal: o.signal, onProgress: o.onProgress });
  return { reference: tag, deviations };
}

async function createSandbox(docker: Docker, events: EventWatch, image: string, workdir: string, o: CreateOptions): Promise<DockerSandbox> {
  let container: Docker.Container;
  try {
    container = await docker.createContainer(containerOptions(image, o));
  } catch (error) {
    throw new InfraError(`No container could be made from ${image}: ${messageOf(error)}.`);
  }
  const sandbox = new DockerSandbox(container, workdir, await events.container(container.id));
  try {
    await startContainer(container);
    if (o.storageMb !== undefined) await sandbox.limitStorage(o.storageMb * 1024 * 1024);
    await sandbox.warm();
    return sandbox;
  } catch (error) {
    await sandbox.close().catch(() => undefined);
    throw error;
  }
}

async function sweep(docker: Docker): Promise<number> {
  const containers = await docker.listContainers({ all: true, filters: { label: ["forge.owner"] } });
  const left = containers.filter(({ Labels: labels }) =>
    hasEnded({ process: labels["forge.owner"] ?? "", place: labels["forge.place"] ?? "" }),
  );
  const removed = await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  return removed.filter(({ status }) => status === "fulfilled").length;
}
