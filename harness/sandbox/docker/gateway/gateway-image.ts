import { join } from "node:path";
import type Docker from "dockerode";
import { ConfigError, InfraError } from "../../../errors.ts";
import { packageRoot } from "../../../package/package-root.ts";
import type { PrepareOptions } from "../../provider.ts";
import { buildImage } from "../image/build-image.ts";
import type { DockerPlugins } from "../daemon/docker-plugin.ts";

const buildTimeoutMs = 900_000;

/**
 * The image of gateways, built like a task's where it is not there: only who runs a task that needs one has it, and Forge's base image stays as it is.
 * @returns its tag
 * @throws InfraError where it cannot be built: no task's fault
 */
export async function gatewayImage(docker: Docker, plugins: DockerPlugins, o: PrepareOptions): Promise<string> {
  const folder = join(packageRoot(), "harness", "sandbox", "docker", "gateway", "image");
  try {
    return (await buildImage(docker, plugins, { name: "gateway", folder, timeoutMs: buildTimeoutMs, ...o })).tag;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new InfraError(`The image of the gateway that holds a task's network to its hosts cannot be made: ${error.message}`);
  }
}
