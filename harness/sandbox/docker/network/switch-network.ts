import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../../errors.ts";
import type { NetworkPolicy } from "../../sandbox.ts";

export interface NetworkPlace {
  /** Or its id. */
  readonly name: string;
  readonly aliases: readonly string[];
}

/**
 * Leaves every network, or joins its own. What runs in the container goes on and sees its interfaces come and go.
 * @throws ConfigError for a list of hosts: only a gateway holds a network to one, and the container stands behind none
 */
export async function switchNetwork(
  docker: Docker,
  container: Docker.Container,
  policy: NetworkPolicy,
  own: readonly NetworkPlace[],
): Promise<void> {
  if (policy.mode === "allowlist")
    throw new ConfigError("A network limited to a list of hosts needs a gateway, and the container was made without one.");
  const to = policy.mode === "public" ? own : [];
  try {
    const { NetworkSettings: settings } = await container.inspect();
    const now = Object.entries(settings.Networks).map(([name, { NetworkID: id }]) => ({ name, id }));
    // "none" excludes all others, and a container that leaves all of them is where "none" is.
    for (const { name, id } of now)
      if (!to.some((one) => one.name === name || one.name === id))
        await docker.getNetwork(id || name).disconnect({ Container: container.id, Force: true });
    for (const { name, aliases } of to)
      if (!now.some((one) => one.name === name || one.id === name))
        await docker
          .getNetwork(name)
          .connect({ Container: container.id, ...(aliases.length > 0 ? { EndpointConfig: { Aliases: [...aliases] } } : {}) });
  } catch (error) {
    throw new InfraError(`The network of the container ${container.id.slice(0, 12)} could not be changed: ${messageOf(error)}.`);
  }
}
