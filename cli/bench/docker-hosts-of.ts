import { checkAddress } from "../../harness/sandbox/docker/daemon/docker-address.ts";
import { ConfigError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";

/**
 * The daemons of `--docker-host`. Of several, those that do not answer are told on standard error: the job runs on the others, and on them once they do.
 * @throws ConfigError for what is no address, and beside a sandbox that needs no daemon
 */
export async function dockerHostsOf(asked: readonly string[] = [], sandbox: string | undefined): Promise<readonly string[]> {
  const addresses = asked.map(checkAddress);
  if (addresses.length > 0 && sandbox !== undefined && sandbox !== "docker")
    throw new ConfigError(`--docker-host: --sandbox ${sandbox} runs on no daemon; leave one of the two out.`);
  if (addresses.length > 1) {
    const { createDockerProvider } = await import("../../harness/sandbox/docker/docker-provider.ts"); // loaded where it is needed
    for (const host of addresses) {
      const answer = await createDockerProvider({ connection: { host } }).available();
      if (answer !== true)
        process.stderr.write(
          `warning: the Docker daemon at ${oneLine(host)} does not respond; the job runs on the others. ${oneLine(answer)}\n`,
        );
    }
  }
  return addresses;
}
