import type Docker from "dockerode";
import { InfraError, messageOf } from "../../../errors.ts";
import type { OpenPort } from "../../sandbox.ts";
import { ownLabels } from "../container/start-container.ts";
import { execChannel } from "../exec/exec-channel.ts";
import { carryConnections, type Carrier } from "./carry-connections.ts";
import { relayScript } from "./relay-script.ts";

export interface RelayPlan {
  /** Has Python 3. */
  readonly image: string;
  /** Whose loopback it is, as the engine names it: `container:ID`, or a network of its own, which another container can share then. */
  readonly network: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly cgroupParent?: string | undefined;
}

/** A container that listens on a loopback. */
export interface Relay extends Carrier {
  readonly container: Docker.Container;
  remove(): Promise<void>;
}

/**
 * Listens on a container's loopback from a container beside it, which shares its network alone: nothing inside can end it, and the daemon may be on another
 * machine. Connections come out on this process' own connection to the daemon.
 * @throws InfraError
 */
export async function startRelay(docker: Docker, { image, network, labels, cgroupParent }: RelayPlan): Promise<Relay> {
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
        NetworkMode: network,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        ReadonlyRootfs: true,
        Memory: memory,
        MemorySwap: memory,
        PidsLimit: 32,
        LogConfig: { Type: "none", Config: {} },
        ...(cgroupParent === undefined ? {} : { CgroupParent: cgroupParent }),
      },
    })
    .catch((error: unknown) => {
      throw failed(error);
    });
  const removed = async (): Promise<void> => {
    await container.remove({ force: true, v: true }).catch(() => undefined); // the sweep removes what cannot be removed now
  };
  try {
    await container.start();
    const channel = await execChannel(container, { Cmd: ["python3", "-c", relayScript] });
    const carrier = await carryConnections(channel);
    const remove = (): Promise<void> => {
      channel.destroy();
      return removed();
    };
    return Object.assign(carrier, { container, remove });
  } catch (error) {
    await removed();
    throw failed(error);
  }
}

/** A port beside a container that was made without one. @throws InfraError */
export async function openPort(docker: Docker, plan: RelayPlan, to: { readonly port: number }): Promise<OpenPort> {
  const relay = await startRelay(docker, plan);
  relay.carry(to.port);
  return { port: relay.port, close: relay.remove };
}
