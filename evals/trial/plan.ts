import type { ResolvedConfig } from "../../harness/config/resolved.ts";
import type { PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { Sandbox, SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { ModelIdentity } from "../../harness/agent/ports.ts";
import type { Task } from "../../tasks/task.ts";
import type { Agent, BenchPorts } from "../bench-ports.ts";
import type { Mode } from "../trial-record.ts";
import type { TrialStep } from "./run-steps.ts";
import type { RewardReading } from "./read-rewards.ts";
import type { FetchedTree } from "./fetch-tree.ts";
import { makeSandbox } from "./make-sandbox.ts";

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
  /** Of a verifier that has an environment of its own. */
  readonly verifier?: PreparedEnvironment;
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

/** What a sandbox of a trial depends on. */
export type SandboxPlan = Pick<TrialPlan, "task" | "configuration" | "repeat">;
export type SandboxSetting = Pick<AttemptSetting, "prepared" | "job" | "attempt">;

/** A sandbox of the trial's environment, up and healthy, with `more` variables. The caller closes it. */
export function createSandbox(
  plan: SandboxPlan,
  setting: SandboxSetting & Partial<Pick<AttemptSetting, "signal">>,
  more: Readonly<Record<string, string>> = {},
): Promise<Sandbox> {
  const { signal } = setting;
  const labels = labelsOf(plan, setting);
  return makeSandbox(setting.prepared, plan.task.environment, { labels, env: more, ...(signal ? { signal } : {}) });
}

/** By which a trial's containers are found. */
export function labelsOf(plan: SandboxPlan, setting: SandboxSetting): Record<string, string> {
  return { job: setting.job, trial: `${plan.task.name}/${plan.configuration}/${plan.repeat}/${setting.attempt}` };
}
