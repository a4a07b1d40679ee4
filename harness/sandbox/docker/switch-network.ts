import type Docker from "dockerode";
import { InfraError, messageOf } from "../../errors.ts";

export interface NetworkPlace {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Leaves every network, or joins those given. What runs in the container goes on and sees its interfaces come and go. */
export async function switchNetwork(docker: Docker, container: Docker.Container, to: readonly NetworkPlace[]): Promise<void> {
  try {
    const { NetworkSettings: settings } = await container.inspect();
    const now = Object.keys(settings.Networks);
    const wanted = to.map(({ name }) => name);
    // "none" excludes all others, and a container that leaves all of them is where "none" is.
    for (const name of now) if (!wanted.includes(name)) await docker.getNetwork(name).disconnect({ Container: container.id, Force: true });
    for (const { name, aliases } of to)
      if (!now.includes(name))
        await docker
          .getNetwork(name)
          .connect({ Container: container.id, ...(aliases.length > 0 ? { EndpointConfig: { Aliases: [...aliases] } } : {}) });
  } catch (error) {
    throw new InfraError(`The network of the container ${container.id.slice(0, 12)} could not be changed: ${messageOf(error)}.`);
  }
}
