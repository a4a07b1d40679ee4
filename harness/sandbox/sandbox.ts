import type { Channel } from "./channel.ts";
import type { Terminal } from "./terminal.ts";

export type SandboxKind = "docker" | "bubblewrap" | "local";

/** Where commands run and files live. The same calls act the same in every kind; one contract suite (`test/harness/sandbox/contract.ts`) holds them to it. */
export interface Sandbox {
  readonly kind: SandboxKind;
  /** Absolute path inside the sandbox where commands start. */
  readonly workdir: string;
  /**
   * Runs `command` with `sh -c` in its own process group (bash where `shell: "bash"` and the sandbox has it). Parallel calls overlap.
   * A timeout or abort ends the command and every descendant, also those that called `setsid`; what was printed until then is kept.
   * Throws `InfraError` when the sandbox itself is gone, and the abort reason on abort.
   */
  exec(command: string, o?: ExecOptions): Promise<ExecResult>;
  /** The bytes of a file (links are followed inside the sandbox), or undefined when there is none. Relative paths start at `workdir`. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Replaces a file atomically, creating parent folders; keeps the mode of an existing file. Throws `SandboxPathError` for what cannot be written. */
  writeFile(path: string, content: Uint8Array, o?: { mode?: number }): Promise<void>;
  /** Copies a folder of the host into the sandbox, modes kept; refuses links that leave the folder, and a destination that is or passes a link. */
  upload(hostFolder: string, destination: string): Promise<void>;
  /** Copies a file, or what a folder holds, out of the sandbox into an empty host folder; links are copied as links, never followed. */
  download(path: string, hostFolder: string, o?: DownloadOptions): Promise<void>;
  /** Ends every process inside except what keeps the sandbox itself alive, those that called `setsid` too. Calls in flight come back as `killed`; later calls work. */
  endProcesses(): Promise<void>;
  /**
   * Ends every process and starts the sandbox again as it began, until it is healthy or that is aborted. Its files are as they were, but for those that lie in
   * memory alone (`/dev/shm`, a `tmpfs`). Only where that starts more than `endProcesses` leaves: in containers.
   */
  restart?(o?: { readonly signal?: AbortSignal }): Promise<void>;
  /** What the sandbox used until now, as far as this kind reports it: evidence for the class of a trial's outcome. */
  usage(): Promise<SandboxUsage>;
  /** What happened to the sandbox as its daemon saw it, not as anything inside reports it. Only of containers. Never throws. */
  evidence?(): Promise<SandboxEvidence>;
  /**
   * Gives the sandbox another network, or takes it away, also from what runs already. Only where it can be changed: in containers; a list of hosts only
   * where the environment says that it needs a gateway, else a `ConfigError`.
   */
  setNetwork?(to: NetworkPolicy): Promise<void>;
  /** Starts a program inside, in a session of its own, its three streams open until they are destroyed; the program may outlive them. Only in containers. */
  program?(words: readonly string[], o?: { readonly user?: string }): Promise<Channel>;
  /** Opens a port on the sandbox's own loopback, whatever network it has, and carries its connections to a port of this machine's. Only in containers. */
  openPort?(to: { readonly port: number }): Promise<OpenPort>;
  /** An interactive shell for a person, until it ends; its exit code, null where it was left. Only where there is one: in containers. */
  terminal?(o: Terminal): Promise<number | null>;
  /** Another container of the same environment, by its service's name; it is closed with this one. */
  service?(name: string): Sandbox | undefined;
  /** Ends everything and removes what the sandbox made. Safe to call twice. */
  close(): Promise<void>;
}

/** A port inside a sandbox, until it is closed. */
export interface OpenPort {
  readonly port: number;
  close(): Promise<void>;
}

export interface SandboxUsage {
  readonly memoryPeakBytes?: number;
  /** Processes ended by the kernel because the sandbox's own memory limit was reached. */
  readonly oomKills?: number;
  /** Processes ended by the kernel for want of memory although that limit was not reached, or there is none: the machine ran out of memory. */
  readonly machineOomKills?: number;
  /** The sandbox's own memory limit; absent where it has none. */
  readonly memoryLimitBytes?: number;
  /** Milliseconds in which processes had to wait because of the CPU limit. */
  readonly throttledMs?: number;
  /** Attempts to make a process that the limit of processes refused. */
  readonly pidsRefused?: number;
  /** Bytes of the writable layer when last measured, and the most ever measured. Only where a storage limit is watched. */
  readonly storageBytes?: number;
  readonly storagePeakBytes?: number;
}

/**
 * What decides the class of an outcome. How to read it:
 * - `state` "gone" or "exited" with a `kill` or `destroy` that is not `ours`: someone outside ended it, never the agent (`infra`).
 * - `exited`, `die` without such a `kill`, daemon never lost: PID 1 was ended from inside, by the agent or by a limit; but with exit code 137 and no limit
 *   reached by SIGKILL, which nothing inside can send to PID 1: by the machine, or by whoever made it look so.
 * - `usage.oomKills` > 0: the sandbox's own memory limit was reached. `usage.machineOomKills` > 0: the machine's memory, never the agent's doing (`infra`).
 *   An `oom` event alone says neither: the engine reports one for the limit of a control group above the container's, too.
 * - `storageExceeded`: the watchdog ended what ran because the writable layer was over the task's limit; the agent's doing.
 * - `gatewayEnded`: the network was cut, by whoever ended the gateway outside of the sandbox (`infra`).
 * - `daemonLost` not empty: the daemon went away meanwhile; what failed between `from` and `to` is the machinery's (`infra`).
 */
export interface SandboxEvidence {
  /** `unknown`: the daemon does not respond. */
  readonly state: "running" | "exited" | "gone" | "unknown";
  /** Of PID 1, where it ended. */
  readonly exitCode?: number;
  /** In order of time, from the making of the sandbox until now. */
  readonly events: readonly SandboxEvent[];
  /** Spans in which the daemon's stream of events was broken, Unix milliseconds; `to` is missing while it still is. */
  readonly daemonLost: readonly { readonly from: number; readonly to?: number }[];
  /** The gateway that held the network to a list of hosts ended; `exitCode` of its first process, where that is known. */
  readonly gatewayEnded?: { readonly event: SandboxEvent["type"]; readonly at?: number; readonly exitCode?: number };
  /** Times at which processes were ended because the writable layer was over its limit, Unix milliseconds, with its bytes and the limit. */
  readonly storageExceeded: readonly { readonly at: number; readonly bytes: number; readonly limitBytes: number }[];
  /** As `usage()` reports, and where the sandbox has ended, as it last reported. */
  readonly usage: SandboxUsage;
}

export interface SandboxEvent {
  /** Unix milliseconds, by the daemon's clock. */
  readonly at: number;
  readonly type: "oom" | "kill" | "die" | "stop" | "restart" | "pause" | "destroy";
  /** Of `die`. */
  readonly exitCode?: number;
  /** Of `kill`. */
  readonly signal?: number;
  /** Forge itself requested it. */
  readonly ours: boolean;
}

export interface DownloadOptions {
  /** More is refused with a `SandboxPathError`; default 4 GiB and 500,000. */
  readonly maxBytes?: number;
  readonly maxEntries?: number;
  /** True for a path, relative to what is copied, that stays behind with all below it; it counts for no limit. */
  readonly leaveOut?: (path: string) => boolean;
}

export interface ExecOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default 120,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly stdin?: Uint8Array;
  /** `bash` falls back to `sh` where there is none. Default `sh`. */
  readonly shell?: "sh" | "bash";
  readonly user?: string;
  /** Bytes of stdout and of stderr kept, half from the start and half from the end; default 10 MiB. The rest is counted, not kept. */
  readonly maxBytes?: number;
}

export interface ExecResult {
  /** `killed`: the sandbox lost the command (its process, the stream or the container went away). */
  readonly status: "exited" | "timeout" | "killed";
  /** Exit code, 128 + signal for a signal; null unless `exited`. */
  readonly exitCode: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes left out of the middle of stdout and stderr. */
  readonly dropped: number;
}

/** A path that cannot be used: outside what is allowed, a folder, a link that leaves. The message is one for the model. */
export class SandboxPathError extends Error {
  override readonly name = "SandboxPathError";
}

/** What a container may reach. Hosts are lower-case names, `*.name`, IP addresses, or CIDR ranges. */
export type NetworkPolicy =
  { readonly mode: "public" } | { readonly mode: "no-network" } | { readonly mode: "allowlist"; readonly hosts: readonly string[] };
