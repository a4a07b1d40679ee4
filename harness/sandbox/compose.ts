/**
 * A compose file as Forge interprets it, with or without the `docker compose` command: variables filled in, short forms written out, services
 * sorted so that each comes after those it depends on. What would reach the machine outside of the containers (privileged, host mounts, the
 * Docker socket, …) was refused when the file was read.
 */
export interface Compose {
  /** Absolute path of the file, for messages. */
  readonly file: string;
  /** The service the agent works in: `main` (Harbor), `client` (Terminal-Bench). Always one of `services`. */
  readonly main: string;
  readonly services: readonly Service[];
  /** Networks by name; `default` is there when a service names none. `internal`: no way out. */
  readonly networks: readonly { readonly name: string; readonly internal: boolean }[];
  /** Named volumes, one set for each trial. */
  readonly volumes: readonly string[];
}

export interface Service {
  readonly name: string;
  /** Absent with `image` absent: the main service of a Harbor task, which runs the task's own environment. */
  readonly build?: Build;
  readonly image?: string;
  /** Words, as for exec; absent: the image's own. */
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  readonly user?: string;
  readonly hostname?: string;
  /** `none` turns the image's own off. */
  readonly healthcheck?: ServiceHealthcheck | "none";
  readonly dependsOn: readonly { readonly service: string; readonly condition: "started" | "healthy" | "completed" }[];
  /** Empty: no network (`network_mode: none`). */
  readonly networks: readonly { readonly name: string; readonly aliases: readonly string[] }[];
  readonly volumes: readonly ServiceVolume[];
  /** The task's own files that the file mounts; absent: none. */
  readonly mounts?: readonly ServiceMount[];
  /** Absolute container paths. */
  readonly tmpfs: readonly string[];
  readonly cpus?: number;
  readonly memoryMb?: number;
  readonly pids?: number;
  readonly shmMb?: number;
  readonly readOnly: boolean;
  readonly init: boolean;
  /** Runs with a terminal and an open standard input. Default false. */
  readonly tty?: boolean;
  /** Absent: a service that ends stays ended. */
  readonly restart?: "always" | "on-failure" | "unless-stopped";
  /** Only capabilities that do not lead out of the container. */
  readonly capAdd: readonly string[];
  readonly capDrop: readonly string[];
  readonly platform?: string;
  /** `name:address`, for its hosts file. */
  readonly extraHosts?: readonly string[];
  readonly dns?: { readonly servers: readonly string[]; readonly search: readonly string[]; readonly options: readonly string[] };
  readonly ulimits?: readonly { readonly name: string; readonly soft: number; readonly hard: number }[];
  readonly groups?: readonly string[];
}

/** Paths are absolute on this machine and inside of the task's folder. */
export interface Build {
  readonly context: string;
  /** Relative to the context; default `Dockerfile`. */
  readonly dockerfile?: string;
  readonly target?: string;
  readonly args: Readonly<Record<string, string>>;
}

export interface ServiceVolume {
  /** A named volume of the compose file; absent: an anonymous one. */
  readonly name?: string;
  /** Absolute in the container. */
  readonly target: string;
  readonly readOnly: boolean;
}

/**
 * A file or folder of the task that the container gets at `target`, as a copy of its own trial: what is written there reaches no other trial. Services
 * that mount the same folder share the copy.
 */
export interface ServiceMount {
  /** Absolute on this machine and inside of the task's folder. One that is not there is an empty folder, as the engine makes one. */
  readonly source: string;
  readonly type: "file" | "folder";
  /** Absolute in the container. What the image has there is hidden. */
  readonly target: string;
  /** Held for folders; a file is a copy that can be written. */
  readonly readOnly: boolean;
}

/** Docker's own health check. `test` begins with `CMD` or `CMD-SHELL`. */
export interface ServiceHealthcheck {
  readonly test: readonly string[];
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly startPeriodMs: number;
  readonly retries: number;
}
