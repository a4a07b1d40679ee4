import { spawn, type ChildProcess } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { InfraError, messageOf } from "../../errors.ts";
import type { Channel } from "../channel.ts";
import { makeFifos } from "../shell/fifo-channel.ts";
import { workerCommand } from "../shell/worker-script.ts";

/** Where the folder of named pipes is inside. */
const inside = "/run/forge";

/** The first shell inside: starts a worker for each name it reads. `setsid -f`, because a shell's own `&` would make commands ignore SIGINT. */
const starter = String.raw`
open='exec <"$1.in" >"$1.out" 2>"$1.err"; rm -f "$1.in" "$1.out" "$1.err"; exec ${workerCommand.join(" ")}'
while IFS= read -r name; do
  setsid -f /bin/sh -c "$open" forge-worker "${inside}/$name" </dev/null >/dev/null 2>&1 ||
    { /bin/sh -c "$open" forge-worker "${inside}/$name" </dev/null >/dev/null 2>&1 & }
done`;

export interface BubblewrapInstanceOptions {
  /** Arguments of bwrap that make the root; processes and pipes are added. */
  readonly root: readonly string[];
  readonly network: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** A private folder of this machine for named pipes. */
  readonly channels: string;
}

/** One namespace with everything that runs in it. It starts on first use, and again after `end`; it dies with this process. */
export class BubblewrapInstance {
  readonly #o: BubblewrapInstanceOptions;
  #child: ChildProcess | undefined;
  #count = 0;
  #lastError = "";

  constructor(o: BubblewrapInstanceOptions) {
    this.#o = o;
  }

  async openWorker(): Promise<Channel> {
    await mkdir(this.#o.channels, { recursive: true, mode: 0o700 });
    const child = this.#running();
    const name = `${process.pid}-${++this.#count}`;
    const fifos = await makeFifos(this.#o.channels, name);
    child.stdin?.write(`${name}\n`);
    const channel = fifos.channel(async () => (child.exitCode === null && child.signalCode === null ? undefined : false));
    // Where bwrap cannot start, nobody ever opens the pipes, so their end is told from here.
    return { ...channel, listen: (on) => listenWith(child, channel, on) };
  }

  /** Ends everything inside, at once. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    // "close" comes when the last process inside has let go of the error stream, not only when the outer one is gone.
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await closed;
  }

  get lastError(): string {
    return this.#lastError;
  }

  #running(): ChildProcess {
    if (this.#child && this.#child.exitCode === null && this.#child.signalCode === null) return this.#child;
    const { root, network, env, channels } = this.#o;
    const args = [...root, ...isolation(network), "--bind", channels, inside, "--chdir", "/", "/bin/sh", "-c", starter, "forge-starter"];
    // In a session of its own: Ctrl-C at the terminal is for the bench, which ends its trials in order.
    const child = spawn("bwrap", args, { stdio: ["pipe", "ignore", "pipe"], env, cwd: "/", detached: true });
    // One listener a worker.
    child.setMaxListeners(0);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#lastError = text.trim().split("\n").at(-1) ?? ""));
    child.stdin?.on("error", () => {});
    child.on("error", (error) => (this.#lastError = messageOf(error)));
    this.#child = child;
    return child;
  }
}

/** Namespaces of its own, no capabilities, no way to outlive this process. */
export function isolation(network: boolean): string[] {
  const namespaces = ["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  return [...namespaces, ...(network ? [] : ["--unshare-net"]), "--cap-drop", "ALL", "--die-with-parent"];
}

function listenWith(child: ChildProcess, channel: Channel, on: Parameters<Channel["listen"]>[0]): void {
  let over = false;
  const end = () => {
    if (!over) on.end();
    over = true;
  };
  channel.listen({ ...on, end });
  const gone = () => {
    // What is still in the pipes comes first.
    setTimeout(() => {
      channel.destroy();
      end();
    }, 50);
  };
  if (child.exitCode !== null || child.signalCode !== null) gone();
  else child.once("exit", gone).once("error", gone);
}

export function instanceError(instance: BubblewrapInstance, error: unknown): InfraError {
  return new InfraError(`bubblewrap runs no command: ${instance.lastError || messageOf(error)}; use --sandbox docker.`);
}
