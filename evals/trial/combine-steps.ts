import type { Ending } from "./ending.ts";
import { judged } from "./judgement.ts";
import { readRewards } from "./read-rewards.ts";

export interface StepOutcome {
  readonly name: string;
  /** Null where the step was not verified, or left no reward to read. */
  readonly rewards: Readonly<Record<string, number>> | null;
  readonly why?: string;
}

/**
 * The task's rewards from its steps', as Harbor does it. `mean`: each key's mean over the steps that have rewards, a missing key counted 0; `final`: the
 * rewards of the last step that was begun. Workspace, kept delta and evidence are the last judged step's.
 */
export function combineSteps(outcomes: readonly StepOutcome[], how: "mean" | "final", last: Ending | undefined): Ending {
  const rewards = how === "final" ? (outcomes.at(-1)?.rewards ?? null) : meanOf(outcomes);
  const why = outcomes.findLast((one) => one.why !== undefined);
  const evidence = last?.evidence ?? [];
  const kept = last && "rewards" in last ? last : undefined;
  const rest =
    kept && "workspace" in kept ? { ...(kept.workspace && { workspace: kept.workspace }), ...(kept.delta && { delta: kept.delta }) } : {};
  if (!rewards) {
    const told = why ? `Step ${why.name}: ${why.why}` : "no step left a reward";
    return {
      ...judged({ type: "unreadable", why: told }, undefined, 0),
      ...rest,
      evidence: [...evidence, { kind: "verifier", says: told }],
    };
  }
  const reading = readRewards({ json: Buffer.from(JSON.stringify(rewards)), txt: undefined });
  const all = outcomes.map(({ name, rewards: own }) => `${name} ${own ? JSON.stringify(own) : "without a reward"}`).join(", ");
  return { ...judged(reading, undefined, 0), ...rest, evidence: [...evidence, { kind: "verifier", says: `Of the steps: ${all}.` }] };
}

function meanOf(outcomes: readonly StepOutcome[]): Record<string, number> | null {
  const verified = outcomes.flatMap(({ rewards }) => (rewards ? [rewards] : []));
  const keys = [...new Set(verified.flatMap((rewards) => Object.keys(rewards)))];
  if (keys.length === 0) return null;
  return Object.fromEntries(keys.map((key) => [key, verified.reduce((sum, rewards) => sum + (rewards[key] ?? 0), 0) / verified.length]));
}
