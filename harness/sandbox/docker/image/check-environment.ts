import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type Docker from "dockerode";
import { CannotError, ConfigError } from "../../../errors.ts";
import { baseImage, baseImageState } from "./base-image.ts";
import { baseImages } from "../../dockerfile/parse-dockerfile.ts";
import { inlineHereDocuments } from "../../dockerfile/here-documents.ts";
import type { Environment } from "../../provider.ts";
import { buildKitNeed } from "./buildkit-need.ts";
import type { DockerPlugins } from "../daemon/docker-plugin.ts";

/**
 * What would keep the containers of an environment from being made, and can be told without building.
 * @throws ConfigError for one that cannot be made here, with the cure; CannotError where Forge's own base image is not as it must be: that is no task's fault
 */
export async function checkEnvironment(
  docker: Docker,
  plugins: DockerPlugins,
  { name, folder, image, compose, gateway }: Environment,
): Promise<void> {
  if (gateway && (await baseImageState(docker)) === "missing")
    throw new CannotError(
      `Task ${name} has a network limited to a list of hosts, whose gateway is made from the image ${baseImage}, which is not there; make it with \`forge images bootstrap\`.`,
    );
  for (const { build } of compose?.services ?? []) {
    if (!build) continue;
    const file = join(build.context, build.dockerfile ?? "Dockerfile");
    const written = await readFile(file, "utf8").catch(() => undefined); // that it is missing is told by its build
    if (written !== undefined) await needBuilder(plugins, file, written);
  }
  if (image !== undefined || compose !== undefined) return;
  if (folder === undefined) throw new ConfigError(`Task ${name} has neither environment/Dockerfile nor docker_image; write one of them.`);
  const file = join(folder, "Dockerfile");
  const written = await readFile(file, "utf8").catch(() => {
    throw new ConfigError(`${file} does not exist; write one, or name a prebuilt image as docker_image in task.toml.`);
  });
  await needBuilder(plugins, file, written);
  const base = baseImages(written).find((one) => one.image === baseImage);
  const state = base ? await baseImageState(docker) : "present";
  if (state === "missing")
    throw new CannotError(`${file}:${base?.line}: the image ${baseImage} is not there; make it with \`forge images bootstrap\`.`);
  if (state === "older")
    throw new CannotError(
      `${file}:${base?.line}: the image ${baseImage} is of an earlier Forge and lacks packages; rebuild it with \`forge images bootstrap\`.`,
    );
}

async function needBuilder(plugins: DockerPlugins, file: string, written: string): Promise<void> {
  const need = buildKitNeed(inlineHereDocuments(written));
  if (need) await plugins.need("buildx", `${file}:${need.line}: ${need.what}`);
}
