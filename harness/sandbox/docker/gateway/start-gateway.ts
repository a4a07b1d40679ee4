import type Docker from "dockerode";
import { InfraError, messageOf } from "../../../errors.ts";
import type { NetworkPolicy, SandboxEvidence } from "../../sandbox.ts";
import type { CreateOptions } from "../../provider.ts";
import type { EventWatch } from "../daemon/event-watch.ts";
import { settledState } from "../container/settled-state.ts";
import { ownLabels } from "../container/start-container.ts";
import { tellGateway } from "./tell-gateway.ts";

/** What gateways are made of. */
export interface GatewayPlan {
  readonly image: string;
  /** Addresses of name servers; left out: the engine's. */
  readonly dns?: readonly string[];
}

/** A container whose network another one shares, and which holds that network to a policy. */
export interface Gateway {
  readonly id: string;
  /** Another policy from now on; connections of the last one end. @throws InfraError; the network is then cut, or as it was before */
  set(to: NetworkPolicy): Promise<void>;
  /** How it ended, where it did and nobody of ours removed it. Its network is cut since. */
  ended(): Promise<SandboxEvidence["gatewayEnded"]>;
  remove(): Promise<void>;
}

const what = "The gateway that holds the task's network to its hosts";

/** A gateway, up, with the policy that a sandbox begins with. @throws InfraError */
export async function startGateway(docker: Docker, events: EventWatch, plan: GatewayPlan, o: CreateOptions): Promise<Gateway> {
  const container = await docker.createContainer(optionsOf(plan, o)).catch((error: unknown) => {
    throw new InfraError(`${what} could not be made: ${messageOf(error)}.`);
  });
  const log = await events.container(container.id);
  let removed = false;
  const gateway: Gateway = {
    id: container.id,
    async set(to) {
      const wrong = await tellGateway(container, to).catch(messageOf);
      if (wrong !== undefined) throw new InfraError(`${what} could not be set: ${wrong}.`);
    },
    async ended() {
      const state = removed ? "unknown" : await settledState(container, log);
      if (removed || state === "unknown" || (typeof state === "object" && state.Running)) return undefined;
      const seen = log.events.find(({ type }) => type !== "pause" && type !== "restart" && type !== "oom");
      return {
        event: seen?.type ?? "destroy",
        ...(seen ? { at: seen.at } : {}),
        ...(state !== "gone" ? { exitCode: state.ExitCode } : {}),
      };
    },
    async remove() {
      removed = true;
      log.close();
      await container.remove({ force: true, v: true });
    },
  };
  try {
    await container.start();
    await gateway.set(policyOf(o));
    return gateway;
  } catch (error) {
    await gateway.remove().catch(() => undefined); // the sweep removes what cannot be removed now
    throw error instanceof InfraError ? error : new InfraError(`${what} could not be started: ${messageOf(error)}.`);
  }
}

function policyOf({ network, hosts }: CreateOptions): NetworkPolicy {
  if (!network) return { mode: "no-network" };
  return hosts ? { mode: "allowlist", hosts } : { mode: "public" };
}

/** It may change the rules of its network, and nothing else. */
function optionsOf({ image, dns }: GatewayPlan, { labels, cgroupParent }: CreateOptions): Docker.ContainerCreateOptions {
  const memory = 192 * 1024 * 1024;
  return {
    Image: image,
    Entrypoint: ["python3", "/gateway/gateway.py", "serve"],
    Cmd: [],
    Labels: { ...ownLabels(labels), "forge.gateway": "yes" },
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: "bridge",
      CapDrop: ["ALL"],
      CapAdd: ["NET_ADMIN"],
      SecurityOpt: ["no-new-privileges"],
      ReadonlyRootfs: true,
      Tmpfs: { "/run": "size=64k,mode=700" },
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: 64,
      LogConfig: { Type: "none", Config: {} },
      ...(dns ? { Dns: [...dns] } : {}),
      ...(cgroupParent === undefined ? {} : { CgroupParent: cgroupParent }),
    },
  };
}
