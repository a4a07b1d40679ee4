import type Docker from "dockerode";
import { InfraError, messageOf } from "../../errors.ts";

export interface NetworkPlace {
  /** Or its id. */
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Leaves every network, or joins those given. What runs in the container goes on and sees its interfaces come and go. */
export async function switchNetwork(docker: Docker, container: Docker.Container, to: readonly NetworkPlace[]): Promise<void> {
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
