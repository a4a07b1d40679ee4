import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../../errors.ts";
import type { CreateOptions } from "../../provider.ts";
import { thisOwner } from "../../owner.ts";
import { trialNetwork } from "../network/trial-network.ts";

/** What an image's entry point is given where nobody says more, as in Harbor's own compose file. */
export const idle: readonly string[] = ["sh", "-c", "sleep infinity"];

/** What makes a thing findable for the sweep, with labels of the caller's. */
export function ownLabels(labels: CreateOptions["labels"] = {}): Record<string, string> {
  const owner = thisOwner();
  const own = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`forge.${key}`, value]));
  return { ...own, forge: "sandbox", "forge.owner": owner.process, "forge.place": owner.place };
}

/** Of neither there is no network. */
export interface Joined {
  readonly network?: string;
  readonly gateway?: string;
  /** A relay on its loopback, whose network it shares. */
  readonly relay?: string;
}

/** What a single container is joined to. @throws InfraError */
export async function joinedTo(docker: Docker, { network }: CreateOptions, gateway?: { readonly id: string }): Promise<Joined> {
  if (gateway) return { gateway: gateway.id };
  return network ? { network: await trialNetwork(docker) } : {};
}

/** @throws ConfigError when the image has no shell; InfraError for what is the daemon's fault. */
export async function startContainer(container: Docker.Container): Promise<void> {
  try {
    await container.start();
  } catch (error) {
    const why = messageOf(error);
    if (/exec: "\/bin\/sh": |executable file not found/.test(why))
      throw new ConfigError("The image has no /bin/sh, in which commands run; add a shell to it in the Dockerfile.");
    throw new InfraError(`The container could not be started: ${why}.`);
  }
}
