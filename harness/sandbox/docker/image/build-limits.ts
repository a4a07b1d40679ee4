import type Docker from "dockerode";

/** Two images may be built at a time. */
const memoryShare = 0.45;
/** The largest builds need some hundreds; threads count too. */
const mostPids = 4096;
/** Half of a container's usual weight, where processors are scarce: what is built is waited for less than what runs. */
const weight = 512;

/** What one step of a build may take, so that no Dockerfile takes the machine. */
export interface BuildBounds {
  readonly memoryBytes: number;
  readonly cpuShares: number;
  readonly pids: number;
}

export async function buildBounds(docker: Docker): Promise<BuildBounds> {
  const { MemTotal: memory } = (await docker.info()) as { readonly MemTotal: number }; // `any` in its types
  return { memoryBytes: Math.floor(memory * memoryShare), cpuShares: weight, pids: mostPids };
}

/**
 * Hears what a classic build prints, and holds each step's container to so many processes, which the build's own options cannot: it is named before it
 * is started. A step could print the name of another container, and bound that, if it knew one.
 */
export function boundProcesses(docker: Docker, { pids }: BuildBounds): (text: string) => void {
  return (text) => {
    const id = /^ ---> Running in ([0-9a-f]{12,64})\n?$/.exec(text)?.[1];
    if (id === undefined) return;
    docker
      .getContainer(id)
      .update({ PidsLimit: pids })
      .catch(() => undefined); // a step that is over already
  };
}
