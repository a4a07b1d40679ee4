import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type Docker from "dockerode";
import { ConfigError } from "../../errors.ts";
import { baseImage, baseImageState } from "../base-image.ts";
import { baseImages } from "../dockerfile.ts";
import type { Environment } from "../provider.ts";

/** What would keep every container of an environment from being made, and can be told without building. @throws ConfigError with the cure. */
export async function checkEnvironment(docker: Docker, { name, folder, image, compose }: Environment): Promise<void> {
  // The services of a compose file are looked at one by one when they are built.
  if (image !== undefined || compose !== undefined) return;
  if (folder === undefined) throw new ConfigError(`Task ${name} has neither environment/Dockerfile nor docker_image; write one of them.`);
  const file = join(folder, "Dockerfile");
  const written = await readFile(file, "utf8").catch(() => {
    throw new ConfigError(`${file} does not exist; write one, or name a prebuilt image as docker_image in task.toml.`);
  });
  const base = baseImages(written).find((one) => one.image === baseImage);
  const state = base ? await baseImageState(docker) : "present";
  if (state === "missing")
    throw new ConfigError(`${file}:${base?.line}: the image ${baseImage} is not there; make it with \`forge images bootstrap\`.`);
  if (state === "older")
    throw new ConfigError(
      `${file}:${base?.line}: the image ${baseImage} is of an earlier Forge and lacks packages; make it anew with \`forge images bootstrap\`.`,
    );
}
