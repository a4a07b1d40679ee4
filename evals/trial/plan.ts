import type { ResolvedConfig } from "../../harness/config/resolved.ts";
import type { CreateOptions, PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { Sandbox, SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { ModelIdentity } from "../../harness/agent/ports.ts";
import type { Task } from "../../tasks/task.ts";
import type { Agent, BenchPorts } from "../bench-ports.ts";
import type { Mode } from "../trial-record.ts";
import type { TrialStep } from "./run-steps.ts";
import type { RewardReading } from "./read-rewards.ts";
import type { FetchedTree } from "./fetch-tree.ts";

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

/** One attempt at a trial: where it happens. */
export interface AttemptSetting {
  readonly ports: BenchPorts;
  readonly prepared: PreparedEnvironment;
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
  /** Hears where the agent's run stands. */
  readonly onStep?: (step: TrialStep) => void;
  /** Aborted: the attempt ends as cancelled. */
  readonly signal: AbortSignal;
}

/** What attempts at the same task need not find out twice, by task digest and path. Lives as long as the bench. */
export interface SuiteMemory {
  /** Declared paths as the environment has them, before any agent. */
  readonly pristine: Map<string, Promise<FetchedTree>>;
  /** What the verifier says of an untouched environment. */
  readonly untouched: Map<string, Promise<RewardReading>>;
}
export function createSuiteMemory(): SuiteMemory {
  return { pristine: new Map(), untouched: new Map() };
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

/** A sandbox of the trial's environment, with the task's limits and `more` variables. The caller closes it. */
export function createSandbox(plan: TrialPlan, setting: AttemptSetting, more: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const { cpus, memoryMb, network } = plan.task.environment;
  const env = { ...plan.task.environment.env, ...more };
  const options: CreateOptions = {
    labels: { job: setting.job, trial: `${plan.task.name}/${plan.configuration}/${plan.repeat}/${setting.attempt}` },
    network,
    env,
    ...(cpus === undefined ? {} : { cpus }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
  };
  return setting.prepared.create(options);
}
