import { createHash } from "node:crypto";
import type Docker from "dockerode";
import { ConfigError, InfraError } from "../../../errors.ts";
import { pull } from "./base-image.ts";
import type { Service } from "../../compose.ts";
import type { Environment, PrepareOptions } from "../../provider.ts";
import { buildImage } from "./build-image.ts";
import { mountDigests } from "../compose/own-files.ts";
import type { DockerPlugins } from "../daemon/docker-plugin.ts";
import { imageHealthcheck } from "./image-healthcheck.ts";
import type { Healthcheck } from "../../healthcheck.ts";

/** An image that is here, and what its making said of how to run it. */
export interface TaskImage {
  readonly id: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: Healthcheck | undefined;
}

export interface TaskImages {
  /** Of a task with one container: the image's id; else over all of them. */
  readonly digest: string;
  readonly main: TaskImage;
  /** Other services by name. */
  readonly services: ReadonlyMap<string, TaskImage>;
  readonly deviations: readonly string[];
}

const defaultBuildTimeoutMs = 600_000;
type Options = PrepareOptions & { readonly plugins: DockerPlugins };

/** Builds or finds every image of an environment. @throws InfraError, ConfigError */
export async function taskImages(docker: Docker, environment: Environment, o: Options): Promise<TaskImages> {
  const { compose } = environment;
  if (!compose) {
    const { reference, deviations } = await ownImage(docker, environment, o);
    const main = await inspectImage(docker, reference);
    return { digest: main.id, main, services: new Map(), deviations };
  }
  const services = new Map<string, TaskImage>();
  const deviations: string[] = [];
  let main: TaskImage | undefined;
  for (const service of compose.services) {
    const found = await serviceImage(docker, environment, service, o);
    const image = await inspectImage(docker, found.reference);
    deviations.push(...found.deviations.map((one) => `Service ${service.name}: ${one}`));
    if (service.name === compose.main) main = image;
    else services.set(service.name, image);
  }
  if (!main) throw new ConfigError(`${compose.file}: there is no service "${compose.main}", in which the agent would work; add it.`);
  const mounts = await mountDigests(compose);
  const ids = [main.id, ...[...services].map(([name, { id }]) => `${name} ${id}`).toSorted(), ...mounts.toSorted()];
  const digest = `sha256:${createHash("sha256").update(ids.join("\n")).digest("hex")}`;
  return { digest: ids.length === 1 ? main.id : digest, main, services, deviations };
}

async function serviceImage(docker: Docker, environment: Environment, { name, build, image }: Service, o: Options) {
  if (build) {
    const { context: folder, dockerfile, target, args } = build;
    const timeoutMs = environment.buildTimeoutMs ?? defaultBuildTimeoutMs;
    const { signal, onProgress, room } = o;
    const built = await buildImage(docker, o.plugins, {
      name: `${environment.name}-${name}`,
      folder,
      dockerfile,
      target,
      args,
      timeoutMs,
      signal,
      onProgress,
      room,
    });
    return { reference: built.tag, deviations: built.deviations };
  }
  if (image !== undefined) return pulled(docker, image, `${environment.name}, service ${name},`, o.signal);
  return ownImage(docker, environment, o);
}

async function ownImage(docker: Docker, environment: Environment, { signal, onProgress, room, plugins }: Options) {
  const { name, folder, image, buildTimeoutMs: timeoutMs = defaultBuildTimeoutMs } = environment;
  if (image !== undefined) return pulled(docker, image, name, signal);
  if (folder === undefined) throw new ConfigError(`Task ${name} has neither environment/Dockerfile nor docker_image; write one of them.`);
  const { tag, deviations } = await buildImage(docker, plugins, { name, folder, timeoutMs, signal, onProgress, room });
  return { reference: tag, deviations };
}

/** A tag that is here satisfies; nothing is asked of a registry then. */
async function pulled(docker: Docker, image: string, task: string, signal: AbortSignal | undefined) {
  if (await pull(docker, image, signal)) return { reference: image, deviations: [] as string[] };
  throw new InfraError(
    `The image ${image} of task ${task} is not here and cannot be pulled; load it with \`docker load\`, or check the registry.`,
  );
}

async function inspectImage(docker: Docker, reference: string): Promise<TaskImage> {
  const { Id: id, Config: config } = await docker.getImage(reference).inspect();
  const words = (value: string | readonly string[] | undefined): readonly string[] =>
    typeof value === "string" ? ["/bin/sh", "-c", value] : (value ?? []);
  return {
    id,
    workdir: config.WorkingDir || "/",
    entrypoint: words(config.Entrypoint),
    command: words(config.Cmd),
    healthcheck: imageHealthcheck(config.Healthcheck),
  };
}
