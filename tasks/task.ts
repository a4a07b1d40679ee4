import type { Environment } from "../harness/sandbox/provider.ts";
import type { Plan } from "../harness/models/simulated/plan.ts";

/** A task as its loader gives it, whatever format it was written in. Paths are absolute and on this machine. */
export interface Task {
  /** Folder name, or `org/name` of task.toml. Unique in its suite. */
  readonly name: string;
  readonly folder: string;
  /** SHA-256 over path, content and executable bit of every file of the folder. */
  readonly digest: string;
  readonly format: "harbor";
  readonly instruction: string;
  readonly environment: Environment & {
    readonly cpus?: number;
    readonly memoryMb?: number;
    readonly storageMb?: number;
    readonly network: boolean;
    readonly env: Readonly<Record<string, string>>;
  };
  readonly agent: { readonly timeoutMs: number };
  readonly verifier: { readonly timeoutMs: number; readonly env: Readonly<Record<string, string>>; readonly testsFolder: string };
  readonly solution?: { readonly folder: string; readonly env: Readonly<Record<string, string>> };
  readonly metadata: {
    readonly difficulty?: string;
    readonly family?: string;
    readonly split?: string;
    readonly tags: readonly string[];
  };
  /** Set by `[metadata.forge]`: the task is written for hardened mode. */
  readonly forge?: {
    readonly local: boolean;
    readonly verify: "workdir" | "snapshot" | "live";
    /** What the agent may change and the verifier gets, absolute in the container; default: the workdir. */
    readonly paths?: readonly string[];
  };
  /** For the simulated model. */
  readonly plan?: Plan;
  /** Wrong solutions by name: `solution/wrong/<name>.sh`. Each must fail. */
  readonly wrong: readonly { readonly name: string; readonly script: string }[];
  /** Shipped with Forge or made by it: may run without a sandbox under a simulated model. */
  readonly own: boolean;
  /** Finished sentences about keys that were left out. Shown once, by whoever loads. */
  readonly warnings: readonly string[];
}

export interface Suite {
  readonly name: string;
  readonly digest: string;
  readonly tasks: readonly Task[];
}
