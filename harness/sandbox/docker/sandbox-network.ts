import type Docker from "dockerode";
import type { Surroundings } from "./container/docker-sandbox.ts";
import { switchNetwork } from "./network/switch-network.ts";
import { trialNetwork } from "./network/trial-network.ts";
import type { Gateway } from "./gateway/start-gateway.ts";

type NetworkSurroundings = Pick<Surroundings, "switchNetwork" | "gatewayEnded" | "remove">;

/** How a single container's network is changed, and what else goes with the container: its gateway, where it stands behind one. */
export function networkOf(docker: Docker, container: Docker.Container, gateway: Gateway | undefined): NetworkSurroundings {
  if (!gateway)
    return {
      switchNetwork: async (to) =>
        switchNetwork(docker, container, to, to.mode === "public" ? [{ name: await trialNetwork(docker), aliases: [] }] : []),
    };
  return {
    switchNetwork: (to) => gateway.set(to),
    gatewayEnded: () => gateway.ended(),
    async remove() {
      try {
        await container.remove({ force: true, v: true });
      } finally {
        await gateway.remove();
      }
    },
  };
}
