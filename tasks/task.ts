import type { Plan } from "../harness/models/simulated/plan.ts";
import type { Healthcheck } from "../harness/sandbox/healthcheck.ts";
import type { NetworkPolicy } from "../harness/sandbox/sandbox.ts";
import type { TaskEnvironment } from "./task-environment.ts";
import type { Artifact, Verification } from "./verification.ts";

/** A task as its loader gives it, whatever format it was written in. Paths are absolute and on this machine. */
export interface Task {
  /** Folder name, or `org/name` of task.toml. Unique in its suite. */
  readonly name: string;
  readonly folder: string;
  /** SHA-256 over path, content and executable bit of every file of the folder. */
  readonly digest: string;
  readonly format: "harbor" | "terminal-bench";
  /** Of a task with steps: the first one's. */
  readonly instruction: string;
  readonly environment: TaskEnvironment;
  readonly agent: AgentPhase;
  /** Of a task with steps: what they inherit; each step has its own. */
  readonly verifier: Verification;
  readonly solution?: Solution;
  /** Kept with the trial, besides `/logs/artifacts`, which always is. */
  readonly artifacts: readonly Artifact[];
  /** Carried out one after the other in one environment. Never empty; absent: the task is one step. */
  readonly steps?: readonly TaskStep[];
  /** How the rewards of steps become the task's: the mean of each key over verified steps (a missing key is 0), or the last step's. */
  readonly stepReward?: "mean" | "final";
  readonly metadata: {
    readonly difficulty?: string;
    /** Tasks of one family are variants of one another; a comparison takes them for one draw. */
    readonly family?: string;
    /** A subject, as wide as the suite's author likes: for grouping alone. */
    readonly category?: string;
    readonly split?: string;
    readonly tags: readonly string[];
  };
  /** Set by `[metadata.forge]`: the task is written for hardened mode. */
  readonly forge?: {
    readonly local: boolean;
    readonly verify: "workdir" | "snapshot" | "live";
    /** What the agent may change and the verifier gets, absolute in the container; default: the workdir. */
    readonly paths?: readonly string[];
    /** For `live`: programs that keep running while the verifier works, by file name or by the beginning of their command line. */
    readonly services?: readonly string[];
    /** Names as in the verifier's CTRF report: all must be there and passed. */
    readonly tests?: readonly string[];
  };
  /** For the simulated model. */
  readonly plan?: Plan;
  /** Wrong solutions by name: `solution/wrong/<name>.sh`. Each must fail. */
  readonly wrong: readonly { readonly name: string; readonly script: string }[];
  /** Shipped with Forge or made by it: may run without a sandbox under a simulated model. */
  readonly own: boolean;
  /** Finished sentences about keys that were left out. Shown once, by the caller. */
  readonly warnings: readonly string[];
}

export interface AgentPhase {
  readonly timeoutMs: number;
  /** User name or number the agent's commands run as; absent: the image's. */
  readonly user?: string;
  /** A network other than the environment's, while the agent runs. */
  readonly network?: NetworkPolicy;
}

/** One step of a task. What it leaves out is filled in from the task. */
export interface TaskStep {
  readonly name: string;
  readonly instruction: string;
  readonly agent: AgentPhase;
  readonly verifier: Verification;
  /** Later steps are not carried out when a reward named here is lower, or missing. */
  readonly minReward?: Readonly<Record<string, number>>;
  readonly healthcheck?: Healthcheck;
  /** The step's own; the task's come first. */
  readonly artifacts: readonly Artifact[];
  /** Copied into the working directory before the step. */
  readonly workdirFolder?: string;
  /** `workdirFolder` holds `setup.sh`, run with bash in the working directory before the step; another exit code than 0 ends the trial. */
  readonly setup: boolean;
  readonly solution?: Solution;
}

/**
 * The oracle. Harbor: `folder` goes to `/solution`, and `solve.sh` there is run with bash. Terminal-Bench: `script` alone goes to
 * `/oracle/solution.sh` and is run with bash, or `commands` are typed into a terminal one after the other.
 */
export interface Solution {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent exactly where there are `commands`. */
  readonly script?: string;
  readonly commands?: readonly TerminalCommand[];
}

/** What a solution in YAML types into the agent's terminal. */
export interface TerminalCommand {
  readonly command: string;
  /** A command that is not waited for: how long to wait after typing it. */
  readonly minTimeoutMs: number;
  /** A command that is waited for: how long at most. */
  readonly maxTimeoutMs: number;
  /** Wait until the command has ended. */
  readonly block: boolean;
  /** Press Enter after it. */
  readonly appendEnter: boolean;
}

export interface Suite {
  readonly name: string;
  readonly digest: string;
  readonly tasks: readonly Task[];
  /** Tasks that cannot be loaded. The others load without them; the caller shows them. Absent: none. */
  readonly refused?: readonly RefusedTask[];
}

export interface RefusedTask {
  readonly name: string;
  readonly folder: string;
  /** A finished sentence. */
  readonly reason: string;
}

/** The folders with a task's tests: of one in steps the shared one and each step's, as far as they are there. */
export function testsFolders({ verifier, steps }: Pick<Task, "verifier" | "steps">): readonly string[] {
  return steps ? [...new Set(steps.flatMap((step) => step.verifier.tests))] : [verifier.testsFolder];
}
