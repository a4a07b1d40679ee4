import { posix } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { InfraError, messageOf } from "../../../errors.ts";
import type {
  NetworkPolicy,
  DownloadOptions,
  OpenPort,
  ExecOptions,
  ExecResult,
  Sandbox,
  SandboxEvidence,
  SandboxUsage,
} from "../../sandbox.ts";
import type { Channel } from "../../channel.ts";
import type { Terminal } from "../../terminal.ts";
import { readThroughShell, writeThroughShell } from "../../shell/files.ts";
import { ShellPool } from "../../shell/pool.ts";
import { WorkerError } from "../../shell/worker.ts";
import { workerCommand } from "../../shell/worker-script.ts";
import { addUsage, containerUsage, latestUsage } from "./container-usage.ts";
import { needsEvent, whoseMemory } from "./whose-memory.ts";
import { downloadFrom, uploadFolder } from "./container-files.ts";
import type { ContainerLog } from "../daemon/event-watch.ts";
import { dockerTerminal } from "../exec/docker-terminal.ts";
import { execChannel } from "../exec/exec-channel.ts";
import { execOnce } from "../exec/exec-once.ts";
import { layerProbe } from "./layer-probe.ts";
import { settledState } from "./settled-state.ts";
import { startContainer } from "./start-container.ts";
import { watchStorage, type StorageWatch } from "./storage-watch.ts";

/** What a sandbox has besides its container. */
export interface Surroundings {
  readonly log: ContainerLog;
  /** Networks it joins when it is to have one; the other containers of its task; how all of it is removed. Left out: the daemon's bridge, none, itself. */
  readonly switchNetwork?: (to: NetworkPolicy) => Promise<void>;
  /** How its gateway ended, where it stands behind one. */
  readonly gatewayEnded?: () => Promise<SandboxEvidence["gatewayEnded"]>;
  readonly service?: (name: string) => Sandbox | undefined;
  readonly others?: () => readonly DockerSandbox[];
  readonly remove?: () => Promise<void>;
  /** Opens a port on its loopback. */
  readonly openPort?: (to: { readonly port: number }) => Promise<OpenPort>;
  /** Waits until what its image starts is healthy. */
  readonly healthy?: (sandbox: Sandbox, signal?: AbortSignal) => Promise<void>;
}

/** A running container as a sandbox. */
export class DockerSandbox implements Sandbox {
  readonly kind = "docker";
  readonly workdir: string;
  /** The engine's id of the container. */
  readonly id: string;
  readonly #container: Docker.Container;
  readonly #pool: ShellPool;
  #closing: Promise<void> | undefined;
  /** The image's `sh` cannot be a worker: every command is an exec of its own. */
  #single = false;
  #calls = 0;
  readonly #around: Surroundings;
  #storage: StorageWatch | undefined;
  /** Of earlier lives of the container, and of this one when last asked. */
  #usageBefore: SandboxUsage = {};
  #usageNow: SandboxUsage = {};
  #oomsBefore = 0;
  /** While all that runs is being ended: what is asked for meanwhile begins after it. How often that was. */
  #clearing: Promise<void> | undefined;
  #clearings = 0;

  constructor(container: Docker.Container, workdir: string, around: Surroundings) {
    this.#container = container;
    this.#around = around;
    this.id = container.id;
    this.workdir = workdir;
    this.#pool = new ShellPool({
      workdir,
      callPrefix: "",
      ownNamespace: true,
      open: (user) => this.#openWorker(user),
      reset: () => this.#clear(() => this.#restart()),
    });
  }

  /** Opens the first worker shell, so that the first command is as fast as the others. */
  async warm(): Promise<void> {
    await this.#pool.warm().catch((error: unknown) => {
      if (!(error instanceof WorkerError)) throw error;
      this.#single = true;
    });
  }

  async exec(command: string, o: ExecOptions = {}): Promise<ExecResult> {
    await this.#clearing;
    const clearings = this.#clearings;
    const interrupted = (): boolean => this.#clearings !== clearings;
    try {
      return await this.#exec(command, o, interrupted);
    } catch (error) {
      // What had started came back as `killed`: this one has not, because the container was being started again.
      if (!interrupted() || o.signal?.aborted) throw error;
      await this.#clearing;
      return this.#exec(command, o);
    }
  }

  async #exec(command: string, o: ExecOptions, interrupted = (): boolean => false): Promise<ExecResult> {
    if (!this.#single) {
      try {
        return await this.#pool.exec(command, o);
      } catch (error) {
        if (!(error instanceof WorkerError) || interrupted()) throw error;
        this.#single = true;
      }
    }
    return execOnce(this.#container, command, `FORGE_CALL=${++this.#calls}.`, this.workdir, o).catch(async (error: unknown) => {
      o.signal?.throwIfAborted();
      // What runs inside took the shell away: its own doing, so an answer and no error of the machinery.
      if (/OCI runtime exec failed/.test(messageOf(error))) return withoutShell();
      throw new InfraError(`The container ${this.id.slice(0, 12)} runs no command: ${await this.#state(error)}.`);
    });
  }

  readFile(path: string): Promise<Uint8Array | undefined> {
    return readThroughShell((command, o) => this.exec(command, o), this.#absolute(path));
  }

  writeFile(path: string, content: Uint8Array, o: { mode?: number } = {}): Promise<void> {
    return writeThroughShell((command, options) => this.exec(command, options), this.#absolute(path), content, o.mode);
  }

  upload(hostFolder: string, destination: string): Promise<void> {
    return uploadFolder(this.#container, (command, o) => this.exec(command, o), hostFolder, this.#absolute(destination));
  }

  download(path: string, hostFolder: string, o: DownloadOptions = {}): Promise<void> {
    return downloadFrom(this.#container, this.#absolute(path), hostFolder, o);
  }

  endProcesses(): Promise<void> {
    return this.#clear(() => this.#endAll());
  }

  async restart({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#clear(() => this.#restart());
    signal?.throwIfAborted();
    await this.#around.healthy?.(this, signal);
  }

  async #endAll(): Promise<void> {
    // The kernel's own "all but PID 1 and me" is atomic: nobody can fork past it. What the container's programs say is then checked from outside.
    const alone = "kill -KILL -1; exit 0";
    await this.#exec(alone, { timeoutMs: 5_000 }).catch(() => undefined);
    this.#pool.drop();
    const processes = await this.#container.top().catch(() => undefined);
    const rows = processes?.Processes as readonly string[][] | null | undefined; // null of a container that has just ended, whatever its types say
    const left = rows?.filter((row) => !isKeeper(row)) ?? ["unknown"];
    if (left.length > 0) await this.#restart();
  }

  #clear(act: () => Promise<void>): Promise<void> {
    this.#clearings += 1;
    const own = act().finally(() => {
      if (this.#clearing === own) this.#clearing = undefined;
    });
    this.#clearing = own;
    return own;
  }

  /** Ends what runs when the writable layer is over `limitBytes`; what was claimed at a stroke, over twice as much, goes with the container. */
  async limitStorage(limitBytes: number): Promise<void> {
    const onOver = (bytes: number): Promise<void> => (bytes > 2 * limitBytes ? this.#discard() : this.endProcesses());
    this.#storage = watchStorage(await layerProbe(this.#container), limitBytes, onOver);
  }

  /** Ended processes give no disk back. The removal is our own, so nobody listens to what the daemon says of it. */
  async #discard(): Promise<void> {
    this.#pool.drop();
    this.#storage?.stop();
    this.#around.log.close();
    await (this.#around.remove?.() ?? this.#container.remove({ force: true, v: true }));
  }

  program(words: readonly string[], o: { readonly user?: string } = {}): Promise<Channel> {
    const login = o.user === undefined ? {} : { User: o.user };
    return execChannel(this.#container, { Cmd: [...words], WorkingDir: this.workdir, ...login });
  }

  openPort(to: { readonly port: number }): Promise<OpenPort> {
    return this.#around.openPort?.(to) ?? Promise.reject(new InfraError("This container opens no port."));
  }

  terminal(o: Terminal): Promise<number | null> {
    return dockerTerminal(this.#container, this.workdir, o);
  }

  async usage(): Promise<SandboxUsage> {
    const { usage, memory } = await containerUsage(this.#container, (command) => this.#exec(command, { timeoutMs: 10_000 }));
    const events = (): number => this.#oomEvents() - this.#oomsBefore;
    if (needsEvent(memory)) for (let i = 0; i < 100 && events() === 0; i += 1) await sleep(50);
    // A container that has ended has no control group any more: what was seen last stays.
    this.#usageNow = latestUsage(this.#usageNow, { ...usage, ...whoseMemory(memory, events()) });
    const storageBytes = this.#closing ? undefined : await this.#storage?.measure();
    return {
      ...addUsage(this.#usageBefore, this.#usageNow),
      ...(storageBytes === undefined ? {} : { storageBytes }),
      ...(this.#storage ? { storagePeakBytes: this.#storage.peakBytes } : {}),
    };
  }

  async evidence(): Promise<SandboxEvidence> {
    const found = await settledState(this.#container, this.#around.log);
    const known = typeof found === "object";
    const gatewayEnded = await this.#around.gatewayEnded?.();
    return {
      state: known ? (found.Running ? "running" : "exited") : found,
      ...(known && !found.Running ? { exitCode: found.ExitCode } : {}),
      events: [...this.#around.log.events],
      daemonLost: [...this.#around.log.daemonLost],
      ...(gatewayEnded ? { gatewayEnded } : {}),
      storageExceeded: this.#all().flatMap((sandbox) => sandbox.#storage?.exceeded ?? []),
      usage: await this.#usageOfAll().catch(() => addUsage(this.#usageBefore, this.#usageNow)),
    };
  }

  #all(): readonly DockerSandbox[] {
    return [this, ...(this.#around.others?.() ?? [])];
  }

  /** A service that the machine had no memory for takes the task's outcome with it. */
  async #usageOfAll(): Promise<SandboxUsage> {
    const [own, ...others] = await Promise.all(this.#all().map((sandbox) => sandbox.usage()));
    const machineOomKills = [own, ...others].reduce((sum, usage) => sum + (usage?.machineOomKills ?? 0), 0);
    return { ...own, ...(machineOomKills > 0 ? { machineOomKills } : {}) };
  }

  async setNetwork(to: NetworkPolicy): Promise<void> {
    await this.#around.switchNetwork?.(to);
  }

  service(name: string): Sandbox | undefined {
    return this.#around.service?.(name);
  }

  close(): Promise<void> {
    this.#closing ??= this.#remove();
    return this.#closing;
  }

  async #remove(): Promise<void> {
    this.#pool.close();
    this.#storage?.stop();
    this.#around.log.close();
    try {
      await (this.#around.remove?.() ?? this.#container.remove({ force: true, v: true }));
    } catch (error) {
      const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
      // Gone, or being removed by someone else.
      if (status !== 404 && status !== 409)
        throw new InfraError(
          `The container ${this.id.slice(0, 12)} could not be removed: ${messageOf(error)}. The next run's sweep tries again.`,
        );
    }
  }

  async #openWorker(user: string | undefined) {
    try {
      const login = user === undefined ? {} : { User: user };
      return await execChannel(this.#container, { Cmd: [...workerCommand], WorkingDir: "/", ...login });
    } catch (error) {
      throw new InfraError(`The container ${this.id.slice(0, 12)} runs no command: ${await this.#state(error)}.`);
    }
  }

  async #state(error: unknown): Promise<string> {
    const found = await this.#container.inspect().catch(() => undefined);
    if (!found) return "it has been removed";
    if (found.State.Running) return messageOf(error);
    return `it ended with exit code ${found.State.ExitCode}${found.State.OOMKilled ? ", out of memory" : ""}`;
  }

  async #restart(): Promise<void> {
    this.#pool.drop();
    await this.usage().catch(() => undefined);
    this.#usageBefore = addUsage(this.#usageBefore, this.#usageNow);
    this.#usageNow = {};
    this.#oomsBefore = this.#oomEvents();
    const unexpect = this.#around.log.expectKill();
    await this.#container.kill().catch(unexpect);
    // Whatever it lacks now, its image had: none of the task's files is at fault.
    await startContainer(this.#container).catch((error: unknown) => {
      throw new InfraError(`The container ${this.id.slice(0, 12)} could not be started again: ${messageOf(error)}`);
    });
  }

  #oomEvents(): number {
    return this.#around.log.events.filter(({ type }) => type === "oom").length;
  }

  #absolute(path: string): string {
    return posix.resolve(this.workdir, path);
  }
}

function withoutShell(): ExecResult {
  const stderr = Buffer.from("There is no working /bin/sh in the container any more, so no command can run.\n");
  return { status: "exited", exitCode: 127, stdout: new Uint8Array(), stderr, dropped: 0 };
}

/** PID 1 and the sleep it waits for: the two processes that were there before any call. */
function isKeeper(row: readonly string[]): boolean {
  const command = row.at(-1) ?? "";
  return command.includes("while :; do sleep 3600") || command === "sleep 3600";
}
