import type { Compose } from "./compose.ts";
import type { Sandbox, SandboxKind } from "./sandbox.ts";

/** Makes sandboxes of one kind. */
export interface SandboxProvider {
  readonly kind: SandboxKind;
  /** True, or one sentence that says why not and what would provide it. */
  available(): Promise<true | string>;
  /**
   * What can be said of an environment before anything is built or written.
   * @throws ConfigError for one that cannot be made here, such as a Dockerfile that needs another kind of sandbox, or a builder that is not there;
   * CannotError for what keeps all from being made.
   */
  check?(environment: Environment): Promise<void>;
  /**
   * Builds or finds what sandboxes of this environment start from (an image, or the recipe of a Dockerfile). Content-addressed: asked twice, built once.
   * Throws `InfraError` when the build fails for the machinery's reasons (daemon, disk, network), `ConfigError` for a Dockerfile that cannot be built here.
   */
  prepare(environment: Environment, o?: PrepareOptions): Promise<PreparedEnvironment>;
  /** What the machines have on which sandboxes are made, all together; left out: this machine. `folder`: where they keep their files, `local`: on this machine. */
  capacity?(): Promise<Capacity>;
  /** Removes what `prepare` made, longest unused first, until it takes at most so many bytes; answers how many things. Nothing in use is removed. */
  trim?(bytes: number): Promise<number>;
  /** Removes what ended Forge processes left (told by the owner label: pid and its start time); answers how many things. */
  sweep(): Promise<number>;
  /**
   * Removes what this process made under `job`, the label of that name, when all its sandboxes are closed: one whose daemon was away at that moment is
   * still there. Answers how many things.
   */
  tidy?(job: string): Promise<number>;
}

export interface PrepareOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
  /** Asked before what may take so many bytes of memory is built, not for what is there already; the answer's call gives the room back. */
  readonly room?: (bytes: number) => Promise<() => void>;
}

export interface Capacity {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly local: boolean;
  readonly folder?: string;
  /** Processes that this machine can have, where it is the one. */
  readonly pids?: number;
  /** Each of several. */
  readonly machines?: readonly { readonly cpus: number; readonly memoryBytes: number }[];
}

/** What a container may take. */
export interface Bounds {
  readonly memoryMb?: number;
  readonly storageMb?: number;
  readonly pids?: number;
}

/** Where a task runs: its `environment/` folder with a Dockerfile, or a prebuilt image. */
export interface Environment {
  readonly name: string;
  readonly folder?: string;
  readonly image?: string;
  readonly buildTimeoutMs?: number;
  /** Replaces the image's working directory. Absolute. */
  readonly workdir?: string;
  /** Several containers, of which `compose.main` is the sandbox. Docker only. */
  readonly compose?: Compose;
  /** Its network is limited to a list of hosts, at least at times: its container stands behind a gateway, which can hold it to one. Docker only. */
  readonly gateway?: boolean;
}

export interface PreparedEnvironment {
  /** Image id, or the digest of the recipe and its files. */
  readonly digest: string;
  readonly workdir: string;
  /** Each deviation from the environment as written, as a sentence (a `FROM` rewritten, …). */
  readonly deviations: readonly string[];
  create(o?: CreateOptions): Promise<Sandbox>;
  /**
   * Where there are several machines: the same on the one of them where an attempt is made best now. All sandboxes of the attempt are made of the answer.
   * `memoryBytes`: what each may take, where that is known.
   */
  place?(o?: { readonly memoryBytes?: number }): Promise<PreparedEnvironment>;
  /**
   * A sandbox that begins with the whole file system `left` has now, but for shells, interpreters, libraries, the loader's and the shells'
   * configuration and other places of the system, which are the environment's again before anything runs. What ran in `left` must have been ended.
   * Where a sandbox has a file system of its own, which is in containers.
   * @param o.own absolute paths that are the agent's whatever they are
   */
  createFrom?(left: Sandbox, o: CreateOptions & { readonly own: readonly string[] }): Promise<{ sandbox: Sandbox } & SystemRestored>;
  /** The same places restored in `left` itself, beside what runs there. */
  repair?(left: Sandbox, o: CreateOptions & { readonly own: readonly string[] }): Promise<SystemRestored>;
}

/** Absolute paths that are as the environment has them again, and such as are gone. */
export interface SystemRestored {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

export interface CreateOptions {
  /** Put on the container as `forge.<key>`; `job` and `trial` are expected. The owner label is added. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default false. */
  readonly network?: boolean;
  /** What the network is limited to: names, `*.name`, addresses, CIDR ranges. Only for an environment with a gateway. */
  readonly hosts?: readonly string[];
  /** Whether root inside may send what the kernel did not make, such as another one's ARP replies. Default true, as is the engine's. Containers only. */
  readonly rawSockets?: boolean;
  readonly cpus?: number;
  readonly memoryMb?: number;
  readonly pids?: number;
  /** The same of other containers of the environment that state none. */
  readonly services?: Bounds;
  /** A control group of this machine that holds the containers, as dockerd's option of that name takes it. Docker only. */
  readonly cgroupParent?: string;
  /** Of the writable layer, in MiB: when it is over, what runs is ended and that is evidence. Docker only. */
  readonly storageMb?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine that are seen inside, read-only, by their path there. Docker only, with a daemon on this machine. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** `openPort` will be asked of it. `more`: of those made after it under the same `job` label too, so the next one's is made ready meanwhile; `tidy` removes what is left. Docker only. */
  readonly port?: { readonly more: boolean };
}
