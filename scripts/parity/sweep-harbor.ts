import type Docker from "dockerode";
import { connect, connectionFromEnvironment } from "../../harness/sandbox/docker/connection.ts";

/** What a trial under Harbor is called; containers, networks and images of its compose project begin with it. */
export const trialName = (random: string): string => `parity-${process.pid}-${random}`;

/**
 * Removes what trials under Harbor left in Docker: those of ended processes, and with `own` those of this one too. Harbor that is ended in mid-trial
 * leaves all of it. Answers how many things were removed.
 */
export async function sweepHarbor(o: { readonly own: boolean }): Promise<number> {
  const docker = connect(connectionFromEnvironment());
  const isLeft = (name: string): boolean => {
    const pid = /^\/?parity-(\d+)-[a-z0-9]+__/.exec(name)?.[1];
    if (pid === undefined) return false;
    return Number(pid) === process.pid ? o.own : !lives(Number(pid));
  };
  return (await removeContainers(docker, isLeft)) + (await removeNetworks(docker, isLeft)) + (await removeImages(docker, isLeft));
}

async function removeContainers(docker: Docker, isLeft: (name: string) => boolean): Promise<number> {
  const left = (await docker.listContainers({ all: true })).filter(({ Names }) => Names.some(isLeft));
  await Promise.all(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true }).catch(gone)));
  return left.length;
}

async function removeNetworks(docker: Docker, isLeft: (name: string) => boolean): Promise<number> {
  const left = (await docker.listNetworks()).filter(({ Name }) => isLeft(Name));
  await Promise.all(left.map(({ Id }) => docker.getNetwork(Id).remove().catch(gone)));
  return left.length;
}

async function removeImages(docker: Docker, isLeft: (name: string) => boolean): Promise<number> {
  const tags = (await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []).filter(isLeft);
  for (const tag of tags) await docker.getImage(tag).remove({ noprune: true }).catch(gone);
  return tags.length;
}

/** Another runner's sweep may have been first. */
const gone = (): void => undefined;

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
