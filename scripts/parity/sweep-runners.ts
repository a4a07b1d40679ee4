import type Docker from "dockerode";
import { connect, connectionFromEnvironment } from "../../harness/sandbox/docker/daemon/connection.ts";

/** What a trial under another runner is called; its containers, networks and images have this in their names. */
export const trialName = (random: string): string => `parity-${process.pid}-${random}`;

/**
 * Removes what trials under other runners left in Docker: those of ended processes, and with `own` those of this one too. A runner that is ended in
 * mid-trial leaves all of it; `tb` leaves its images anyway. Answers how many things were removed.
 * @param o.tasks names of tasks whose images `tb` made in this process
 */
export async function sweepRunners(o: { readonly own: boolean; readonly tasks: readonly string[] }): Promise<number> {
  const docker = connect(connectionFromEnvironment());
  const isLeft = (name: string): boolean => {
    const pid = trialIn(name);
    if (pid === undefined) return false;
    return pid === process.pid ? o.own : !lives(pid);
  };
  const images = o.tasks.map((task) => `tb__${task.replaceAll(".", "-")}__`);
  const isImage = (tag: string): boolean => isLeft(tag) || (o.own && images.some((prefix) => tag.startsWith(prefix)));
  return (await removeContainers(docker, isLeft)) + (await removeNetworks(docker, isLeft)) + (await removeImages(docker, isImage));
}

/** The process whose trial a container, network or image belongs to: Harbor's names begin with the trial's, those of `tb` with the task's. */
export function trialIn(name: string): number | undefined {
  const pid = /(?:^\/?|-of-1-)parity-(\d+)-[a-z0-9]+(?:[^a-z0-9]|$)/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
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
