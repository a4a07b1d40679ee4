import type Docker from "dockerode";
import { InfraError, messageOf } from "../../../errors.ts";

/**
 * The network of a daemon's sandboxes that are one container each: what is outside is reached, a neighbour is not. It belongs to no runner, so no sweep
 * removes it, and it outlives the daemon's restarts.
 */
export const trialNetworkName = "forge-trials";
const label = "forge.network";

const making = new WeakMap<Docker, Promise<string>>();

/**
 * Its id, by which it is joined: where several runners make it at once there may be two of the name for a moment. It is looked for each time, which takes
 * the daemon a few milliseconds, for someone may have removed it.
 * @throws InfraError when it cannot be made
 */
export function trialNetwork(docker: Docker, name = trialNetworkName): Promise<string> {
  const known = making.get(docker);
  if (known) return known;
  const asked = findOrMake(docker, name).finally(() => making.delete(docker));
  making.set(docker, asked);
  return asked;
}

async function findOrMake(docker: Docker, name: string): Promise<string> {
  const found = await first(docker, name);
  if (found !== undefined) return found;
  let made: string | undefined;
  try {
    const network = await docker.createNetwork({
      Name: name,
      Driver: "bridge",
      CheckDuplicate: true,
      Options: { "com.docker.network.bridge.enable_icc": "false" },
      Labels: { [label]: "trials" },
    });
    made = network.id;
  } catch (error) {
    const other = await first(docker, name); // another runner was faster
    if (other !== undefined) return other;
    throw new InfraError(
      `The network ${name}, in which no sandbox reaches another one, could not be made: ${messageOf(error).trim().replace(/\.$/, "")}. Where it needs br_netfilter, load that module (modprobe br_netfilter, as root); where there are no addresses left, or another network has this name, remove networks (docker network rm).`,
    );
  }
  // Engines before 25 look for the name and take it in two steps. All runners keep the oldest; one that was left over may hold a container already.
  const oldest = await first(docker, name);
  if (oldest === undefined || oldest === made) return made;
  await docker
    .getNetwork(made)
    .remove()
    .catch(() => undefined);
  return oldest;
}

/** The oldest of them, in practice the only one. */
async function first(docker: Docker, wanted: string): Promise<string | undefined> {
  try {
    const found = await docker.listNetworks({ filters: { name: [wanted], label: [label] } });
    const own = found.filter(({ Name: name }) => name === wanted);
    return own.toSorted((a, b) => (a.Created ?? "").localeCompare(b.Created ?? "") || a.Id.localeCompare(b.Id))[0]?.Id;
  } catch (error) {
    throw new InfraError(`The networks of the daemon could not be listed: ${messageOf(error)}.`);
  }
}
