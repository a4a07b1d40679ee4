import type { DeltaRecord, Mode } from "../trial-record.ts";
import type { Ending } from "./classify-outcome.ts";
import { judged } from "../verify/judgement.ts";
import { readRewards, scoreOf } from "../verify/read-rewards.ts";

export type Rewards = Readonly<Record<string, number>>;

export interface StepOutcome {
  readonly name: string;
  /** Null where the step was not verified, or left no reward to read. */
  readonly rewards: Rewards | null;
  readonly why?: string;
  /** There was no reward to read, and that is no agent's doing: hardened mode, and the trial has no score. */
  readonly unscored?: true;
  /** What was kept of the step; absent where there was nothing to verify. */
  readonly delta?: DeltaRecord;
}

export interface StepsPlan {
  /** How the rewards of steps become the task's. */
  readonly reward: "mean" | "final";
  readonly mode: Mode;
  /** Steps of the task. */
  readonly planned: number;
}

/** The outcome of a step from its verdict. Hardened: rewards that the verdict does not take, as where a test was skipped, are nothing to any later count. */
export function outcomeOf(name: string, ending: Ending, mode: Mode): StepOutcome {
  const written = "rewards" in ending ? ending.rewards : null;
  const taken = mode === "official" || !written || !("score" in ending) || ending.score === scoreOf(written);
  const rewards = taken ? written : asNothing(written);
  const why = "why" in ending ? ending.why : "error" in ending ? ending.error : undefined;
  const delta = "delta" in ending ? ending.delta : undefined;
  return {
    name,
    rewards,
    ...(why === undefined ? {} : { why }),
    ...("score" in ending && ending.score === null ? { unscored: true as const } : {}),
    ...(delta && { delta }),
  };
}

/** Later steps are not carried out where a reward is lower than it must be, or missing. */
export function missed(rewards: Rewards, least: Rewards = {}): boolean {
  return Object.entries(least).some(([name, threshold]) => !((rewards[name] ?? -Infinity) >= threshold));
}

/**
 * The task's rewards from its steps'. Official, as Harbor does it: `mean`: each key's mean over the steps that have rewards, a missing key counted 0; `final`:
 * the rewards of the last step that was started. Hardened: of all steps that the task has, so that an agent gets nothing by keeping a step from being started or
 * verified; and a step without a readable reward is its agent's failure where an earlier one was failed, as nobody knows what its tests need of that. Workspace, kept delta and evidence are the last judged step's.
 */
export function combineSteps(outcomes: readonly StepOutcome[], plan: StepsPlan, last: Ending | undefined): Ending {
  const hardened = plan.mode === "hardened";
  // The trial is what its first step is, the rest of it was never started.
  if (hardened && last && outcomes.length === 1 && !outcomes[0]?.rewards) return last;
  const why = outcomes.findLast((one) => one.why !== undefined);
  const evidence = last?.evidence ?? [];
  const rest = {
    ...(last && "workspace" in last && last.workspace && { workspace: last.workspace }),
    ...(last && "delta" in last && last.delta && { delta: last.delta }),
  };
  const unscored = outcomes.some((one, i) => one.unscored && outcomes.slice(0, i).every(isDone));
  const rewards = unscored ? null : hardened ? ofAll(outcomes, plan) : ofVerified(outcomes, plan);
  if (!rewards) {
    const told = why ? `Step ${why.name}: ${why.why}` : "no step left a reward";
    // Where no agent was, none is at fault.
    const score = unscored || (hardened && !last) ? null : 0;
    return {
      ...judged({ type: "unreadable", why: told }, undefined, score),
      ...rest,
      evidence: [...evidence, { kind: "verifier", says: told }],
    };
  }
  const combined = readRewards({ json: Buffer.from(JSON.stringify(rewards)), txt: undefined });
  const lost = hardened && why && combined.type === "rewards" && combined.score < 1;
  const reading = lost ? { ...combined, why: `Step ${why.name}: ${why.why}` } : combined;
  const all = outcomes.map(({ name, rewards: own }) => `${name} ${own ? JSON.stringify(own) : "without a reward"}`);
  const others = hardened && outcomes.length < plan.planned ? `, ${plan.planned - outcomes.length} not started` : "";
  const says = `Of the steps: ${all.join(", ")}${others}.`;
  return { ...judged(reading, undefined, 0), ...rest, evidence: [...evidence, { kind: "verifier", says }] };
}

const isDone = ({ rewards }: StepOutcome): boolean => rewards !== null && scoreOf(rewards) >= 1;

function ofVerified(outcomes: readonly StepOutcome[], { reward }: StepsPlan): Rewards | null {
  const verified = outcomes.flatMap(({ rewards }) => (rewards ? [rewards] : []));
  return reward === "final" ? (outcomes.at(-1)?.rewards ?? null) : meanOf(verified, verified.length);
}

function ofAll(outcomes: readonly StepOutcome[], { reward, planned }: StepsPlan): Rewards | null {
  const verified = outcomes.flatMap(({ rewards }) => (rewards ? [rewards] : []));
  const final = outcomes.length === planned ? outcomes.at(-1)?.rewards : undefined;
  if (reward === "final") return final ?? meanOf(verified.map(asNothing), planned);
  return meanOf(verified, planned);
}

const asNothing = (rewards: Rewards): Rewards => Object.fromEntries(Object.keys(rewards).map((key) => [key, 0]));

function meanOf(verified: readonly Rewards[], of: number): Rewards | null {
  const keys = [...new Set(verified.flatMap((rewards) => Object.keys(rewards)))];
  if (keys.length === 0) return null;
  return Object.fromEntries(keys.map((key) => [key, verified.reduce((sum, rewards) => sum + (rewards[key] ?? 0), 0) / of]));
}
