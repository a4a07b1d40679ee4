import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";

/** What is there of a job's in a daemon: names of containers, networks, volumes and images that carry its label. */
async function ofJob(docker: Docker, job: string): Promise<string[]> {
  const filters = { label: [`forge.job=${job}`] };
  const [containers, networks, volumes, images] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
    docker.listImages({ filters }),
  ]);
  return [
    ...containers.map(({ Names: names }) => `container ${names[0] ?? ""}`),
    ...networks.map(({ Name: name }) => `network ${name}`),
    ...volumes.Volumes.map(({ Name: name }) => `volume ${name}`),
    ...images.map(({ Id: id }) => `image ${id.slice(7, 19)}`),
  ];
}

/** What a job left in a daemon, after its reaper had its time. `socket`: of the daemon. */
export async function leftInDocker(job: string, socket = "/var/run/docker.sock"): Promise<readonly string[]> {
  const docker = new Docker({ socketPath: socket });
  let left = await ofJob(docker, job);
  for (let waited = 0; left.length > 0 && waited < 30_000; waited += 1_000) {
    await wait(1_000);
    left = await ofJob(docker, job);
  }
  return left;
}

/** Forge's files in a folder that was given to it for temporary ones. */
export const leftInFolder = (folder: string): readonly string[] => readdirSync(folder).filter((name) => !name.startsWith("node-"));
