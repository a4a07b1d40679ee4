import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { baseImage } from "../../harness/sandbox/docker/image/base-image.ts";
import { createDockerProvider } from "../../harness/sandbox/docker/docker-provider.ts";
import type { Capacity, SandboxProvider } from "../../harness/sandbox/provider.ts";
import { ownDockerd } from "../campaigns/stage/own-dockerd.ts";
import { boundedGroup } from "./bounded-group.ts";

/** What a machine has that an attack is to take from all who are on it. Left out: as much as this one. */
export interface MachineSize {
  readonly memoryMb?: number;
  readonly pids?: number;
  /** Free on the disk of its daemon. */
  readonly diskMb?: number;
}

/** A bound within which an attack may do its worst: this machine is harmed no more than that. */
export interface SmallMachine {
  /** Words before a command of docker's client. */
  readonly docker: readonly string[];
  /** Of `docker run`. */
  readonly options: readonly string[];
  /** Forge's containers on it, of which its capacity is all that Forge knows. */
  readonly provider: SandboxProvider;
  /** Networks that an attacker shares with a neighbour: under a naive runner, and under Forge. Left out: none. */
  readonly network?: { readonly naive: string; readonly forge: string };
  /** What a neighbour does there, in Python; it says "well" again and again, or what went wrong. */
  readonly neighbour?: string;
  /** Call when no container is on it any more. */
  remove(): Promise<void>;
}

/** Memory and processes by a control group above all containers, the disk by a daemon of its own on a small file system. Needs root. */
export async function smallMachine({ memoryMb, pids, diskMb }: MachineSize): Promise<SmallMachine> {
  const name = `forge-machine-${process.pid}-${(made += 1)}`;
  const mib = 1024 ** 2;
  if (diskMb !== undefined) return withDisk(diskMb);
  const group = boundedGroup(name, {
    ...(memoryMb === undefined ? {} : { memoryBytes: memoryMb * mib }),
    ...(pids === undefined ? {} : { pids }),
  });
  const provider = createDockerProvider({ cgroupParent: group.parent });
  const own = { ...(memoryMb === undefined ? {} : { memoryBytes: memoryMb * mib }), ...(pids === undefined ? {} : { pids }) };
  return {
    docker: [],
    options: ["--cgroup-parent", group.parent],
    provider: { ...provider, capacity: async () => ({ ...(await capacityOf(provider)), ...own }) },
    remove: () => group.remove(),
  };
}

let made = 0;

async function capacityOf(provider: SandboxProvider): Promise<Capacity> {
  if (!provider.capacity) throw new Error("docker's provider knows its capacity");
  return provider.capacity();
}

/** The image is on it twice while it is loaded; what is free after that and too much is taken by a file. */
const loadingMb = 1300;

async function withDisk(diskMb: number): Promise<SmallMachine> {
  const folder = await mkdtemp(join(tmpdir(), "forge-disk-"));
  const [image, disk] = [join(folder, "image"), join(folder, "disk")];
  const close = async (): Promise<void> => {
    spawnSync("umount", ["-l", disk]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    execFileSync("truncate", ["-s", `${loadingMb}M`, image]);
    execFileSync("mkfs.ext4", ["-q", "-m", "0", image]);
    mkdirSync(disk);
    execFileSync("mount", ["-o", "loop", image, disk]);
    const daemon = await ownDockerd(join(disk, "d"), { name: "forge-attacked", subnet: "172.29.73", image: baseImage });
    const { bavail, bsize } = statfsSync(disk);
    const tooMuch = Math.floor((bavail * bsize) / 1024 ** 2) - diskMb;
    if (tooMuch > 0) execFileSync("fallocate", ["-l", `${tooMuch}M`, join(disk, "ballast")]);
    return {
      docker: ["-H", `unix://${daemon.socket}`],
      options: [],
      provider: createDockerProvider({ connection: { host: `unix://${daemon.socket}` } }),
      async remove() {
        await daemon.remove();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
