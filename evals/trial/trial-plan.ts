import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { ImagePlaces } from "../../harness/sandbox/docker/system/image-places.ts";
import type { CreateOptions, PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { Sandbox, SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { ModelIdentity } from "../../harness/contract/ports.ts";
import type { Task, TaskStep } from "../../tasks/task.ts";
import type { Agent, BenchPorts } from "../bench-ports.ts";
import type { Mode } from "./trial-record.ts";
import type { TrialStep } from "./attempt/trial-progress.ts";
import type { RewardReading } from "./verify/read-rewards.ts";
import type { FetchedTree } from "./keep/fetch-tree.ts";

/** One trial: what is measured. The same for all its attempts. */
export interface TrialPlan {
  readonly task: Task;
  /** The arm's name, unique in its job. */
  readonly configuration: string;
  readonly config: ResolvedConfig;
  readonly agent: Agent;
  readonly model: ModelIdentity;
  /** From 1. */
  readonly repeat: number;
  readonly key: string;
  readonly seed: number;
  readonly mode: Mode;
  readonly sandbox: SandboxKind;
}

/** A trial that met nothing but infrastructure errors gets this many attempts in one run of the job. */
export const maxAttempts = 3;

/** One attempt at a trial: where it happens. */
export interface AttemptSetting {
  readonly ports: BenchPorts;
  readonly prepared: PreparedEnvironment;
  /** Of a verifier that has an environment of its own. */
  readonly verifier?: PreparedEnvironment;
  /** Of a task in steps: each step's, in their order. */
  readonly stepVerifiers?: readonly (PreparedEnvironment | undefined)[];
  /** Of a step: the steps until it, itself the last. */
  readonly until?: readonly TaskStep[];
  /** A step follows in the same sandbox: verification leaves it open. */
  readonly goesOn?: boolean;
  /** From 1. */
  readonly attempt: number;
  /** Existing and empty: becomes the run's folder. */
  readonly folder: string;
  /** The same folder as the record names it. */
  readonly trace: string;
  readonly job: string;
  /** Trials at a time, for the record. */
  readonly jobs: number;
  readonly memory: SuiteMemory;
  /** Made ahead of the attempt, which closes it; left out: the attempt makes its own. */
  readonly sandbox?: Promise<Sandbox>;
  /** Hears where the agent's run stands. */
  readonly onStep?: (step: TrialStep) => void;
  /** Hears that the agent's run has ended and its work is verified now; of a task of several steps, at each of them. */
  readonly onAgentEnd?: () => void;
  /** Hears of each sandbox that is on its way out, and waits for it; left out: the attempt itself waits. Never rejects. */
  readonly onRemoval?: (gone: Promise<void>) => void;
  /** Aborted: the attempt ends as cancelled. */
  readonly signal: AbortSignal;
}

/** What attempts at the same task need not find out twice, by task digest and path. Lives as long as the bench. */
export interface SuiteMemory {
  /** Declared paths as the environment has them, before any agent. */
  readonly pristine: Map<string, Promise<FetchedTree>>;
  /** Where an image's programs lie, for declared paths that touch them. */
  readonly places: Map<string, Promise<ImagePlaces | undefined>>;
  /** What the verifier says of an untouched environment. */
  readonly untouched: Map<string, Promise<RewardReading>>;
  /** By trial key, how many of its attempts ended with the container's first process killed by nobody who was seen. */
  readonly killedUnseen: Map<string, number>;
}
export function createSuiteMemory(): SuiteMemory {
  return { pristine: new Map(), places: new Map(), untouched: new Map(), killedUnseen: new Map() };
}

/** Asks once; a failure is not remembered. */
export function remembered<T>(memory: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = memory.get(key);
  if (known) return known;
  const asked = ask();
  memory.set(key, asked);
  asked.catch(() => memory.delete(key));
  return asked;
}

/** What a sandbox of a trial depends on. */
export type SandboxPlan = Pick<TrialPlan, "task" | "configuration" | "repeat">;
export type SandboxSetting = Pick<AttemptSetting, "prepared" | "job" | "attempt"> & Pick<CreateOptions, "mounts" | "port">;

/** What an untouched environment is remembered by beside its image: the task, and of a task in steps the step. */
export function verifiedAt({ task }: SandboxPlan, { until }: Pick<AttemptSetting, "until">): string {
  return JSON.stringify([task.digest, ...(until ? [until.length] : [])]);
}
