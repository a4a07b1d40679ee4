import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";

/** A daemon beside the one of the machine, for faults that no other daemon must have. */
export interface OwnDockerd {
  readonly socket: string;
  /** Ends it by a signal, and answers when it is gone. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its files and its bridge. */
  remove(): Promise<void>;
}

/**
 * Starts a daemon with files, bridge and socket of its own below `folder`, and gives it the base image of the machine's daemon. Needs root.
 * `name`: of the bridge, at most 15 letters. `subnet`: as `172.29.7`.
 */
export async function ownDockerd(
  folder: string,
  o: { readonly name: string; readonly subnet: string; readonly image: string },
): Promise<OwnDockerd> {
  mkdirSync(folder, { recursive: true });
  const socket = join(folder, "docker.sock");
  const [data, run, log] = [join(folder, "data"), join(folder, "run"), join(folder, "dockerd.log")];
  // Never `--bridge none`: it takes the machine's own bridge away from the daemon that uses it.
  spawnSync("ip", ["link", "add", o.name, "type", "bridge"]);
  spawnSync("ip", ["addr", "add", `${o.subnet}.1/24`, "dev", o.name]);
  execFileSync("ip", ["link", "set", o.name, "up"]);
  let daemon: ChildProcess | undefined;
  const docker = new Docker({ socketPath: socket });

  const start = async (): Promise<void> => {
    forgetEnded(join(run, "containerd", "containerd.pid"));
    rmSync(join(folder, "dockerd.pid"), { force: true });
    const out = openSync(log, "a");
    const words = ["--data-root", data, "--exec-root", run, "--pidfile", join(folder, "dockerd.pid"), "-H", `unix://${socket}`];
    daemon = spawn("dockerd", [...words, "--iptables=false", "--bridge", o.name], { detached: true, stdio: ["ignore", out, out] });
    closeSync(out);
    for (let waited = 0; waited < 90_000; waited += 200) {
      if ((await docker.ping().catch(() => undefined)) !== undefined) return;
      if (daemon.exitCode !== null) break;
      await wait(200);
    }
    throw new Error(`The second dockerd did not start: ${readFileSync(log, "utf8").slice(-500)}`);
  };
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    const ending = daemon;
    daemon = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await gone;
  };
  await start();
  execFileSync("sh", ["-c", `docker save ${o.image} | docker -H unix://${socket} load`], { stdio: "ignore" });
  return {
    socket,
    end,
    start,
    async remove() {
      await end("SIGTERM");
      spawnSync("ip", ["link", "del", o.name]);
      unmountBelow(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** What a killed daemon mounted and nobody took down. */
function unmountBelow(folder: string): void {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) spawnSync("umount", ["-l", path]);
}

/** A killed daemon leaves its containerd's id behind; another process that got it since would be waited for in vain. */
function forgetEnded(pidFile: string): void {
  try {
    const command = readFileSync(`/proc/${readFileSync(pidFile, "utf8").trim()}/cmdline`, "utf8");
    if (command.includes("containerd")) return;
  } catch {
    // no such process
  }
  rmSync(pidFile, { force: true });
}
