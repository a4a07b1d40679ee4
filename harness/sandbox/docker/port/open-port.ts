import type Docker from "dockerode";
import { InfraError, messageOf } from "../../../errors.ts";
import type { OpenPort } from "../../sandbox.ts";
import { ownLabels } from "../container/start-container.ts";
import { execChannel } from "../exec/exec-channel.ts";
import { carryConnections } from "./carry-connections.ts";
import { relayScript } from "./relay-script.ts";

export interface PortPlan {
  /** Has Python 3. */
  readonly image: string;
  /** The container whose loopback it is. */
  readonly beside: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Listens on a container's loopback from a container beside it, which shares its network alone: nothing inside can end it, and the daemon may be on another
 * machine. Connections come out on this process' own connection to the daemon.
 * @throws InfraError
 */
export async function openPort(docker: Docker, { image, beside, labels }: PortPlan, to: { readonly port: number }): Promise<OpenPort> {
  const memory = 96 * 1024 * 1024;
  const failed = (error: unknown): InfraError =>
    new InfraError(`The port between the container and the gateway could not be opened: ${messageOf(error)}.`);
  const container = await docker
    .createContainer({
      Image: image,
      Entrypoint: ["sleep", "infinity"],
      Cmd: [],
      Labels: { ...ownLabels(labels), "forge.port": "yes" },
      Healthcheck: { Test: ["NONE"] },
      HostConfig: {
        NetworkMode: `container:${beside}`,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        ReadonlyRootfs: true,
        Memory: memory,
        MemorySwap: memory,
        PidsLimit: 32,
        LogConfig: { Type: "none", Config: {} },
      },
    })
    .catch((error: unknown) => {
      throw failed(error);
    });
  const close = async (): Promise<void> => {
    await container.remove({ force: true, v: true }).catch(() => undefined); // the sweep removes what cannot be removed now
  };
  try {
    await container.start();
    const channel = await execChannel(container, { Cmd: ["python3", "-c", relayScript] });
    const port = await carryConnections(channel, to.port);
    return {
      port,
      async close() {
        channel.destroy();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw failed(error);
  }
}
