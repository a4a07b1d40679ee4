import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { InfraError, messageOf } from "../../errors.ts";
import type { Channel } from "../channel.ts";
import { makeFifos } from "../shell/fifo-channel.ts";
import { workerCommand } from "../shell/worker-script.ts";

let count = 0;

/** A worker shell as a process of this machine, in a session of its own. */
export async function openLocalWorker(folder: string, env: Readonly<Record<string, string>>): Promise<Channel> {
  const fifos = await makeFifos(folder, `worker-${++count}`);
  const { paths } = fifos;
  const write = constants.O_WRONLY | constants.O_NONBLOCK;
  const stdio = [openSync(paths.in, constants.O_RDONLY | constants.O_NONBLOCK), openSync(paths.out, write), openSync(paths.err, write)];
  // Opened again by the shell, because an end that does not block would show in what commands inherit.
  const script = `exec <"$1" >"$2" 2>"$3"; rm -f "$1" "$2" "$3"; exec ${workerCommand.join(" ")}`;
  const child = spawn("/bin/sh", ["-c", script, "forge-worker", paths.in, paths.out, paths.err], {
    stdio,
    detached: true,
    cwd: "/",
    env,
  });
  try {
    await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  } catch (error) {
    throw new InfraError(`/bin/sh could not be started: ${messageOf(error)}.`);
  } finally {
    stdio.forEach((fd) => closeSync(fd));
  }
  child.unref();
  return fifos.channel(async () => child.exitCode === null && child.signalCode === null);
}
