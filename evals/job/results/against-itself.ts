import { scoreOf } from "../../trial/verify/read-rewards.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";

/**
 * Where a record contradicts itself, as `passed true with a score of 0`: its class, score and rewards can only go together in some ways. A score has no
 * bounds of its own, because a verifier may give any finite number; it is never more than the rewards give, and less only where the record says why.
 */
export function againstItself({ class: kind, score, passed, rewards, error, simulated, modelIdentity }: TrialRecord): string[] {
  const named = rewards === null || Object.keys(rewards).length === 0 ? undefined : scoreOf(rewards);
  const below = named !== undefined && score !== null && score < named && !near(score, named);
  const above = named !== undefined && score !== null && score > named && !near(score, named);
  return [
    ...(passed === (score === null ? null : score >= 1) ? [] : [`passed ${passed} with a score of ${score}`]),
    ...(goesWith[kind](passed) ? [] : [`class ${kind} with passed ${passed}`]),
    // as where expected tests are missing
    ...(above || (below && error === undefined) ? [`score ${score} with a reward of ${named}`] : []),
    ...(rewards === null && score !== null && score !== 0 ? [`score ${score} without rewards`] : []),
    ...(modelIdentity.simulated === true && !simulated ? ["simulated false with a simulated model"] : []),
  ];
}

const unscored = (passed: boolean | null): boolean => passed === null;
const goesWith: Readonly<Record<TrialRecord["class"], (passed: boolean | null) => boolean>> = {
  passed: (passed) => passed === true,
  agent: (passed) => passed === false,
  verifier: (passed) => passed !== true,
  infra: unscored,
  cancelled: unscored,
};

/** A mean of the same numbers in another order. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
