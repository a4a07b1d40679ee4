import type { DecidedPair } from "../../job/results/job-result.ts";
import { estimateOf, type FollowedPair } from "./follow-trials.ts";

/** A comparison as `result.json` tells it. */
export function decidedPair(pair: FollowedPair, planned: number): DecidedPair {
  const { a, b, decision, tasks } = pair;
  const { value, low, high, eValue } = estimateOf(pair, "excluded");
  return {
    a,
    b,
    better: decision?.better ?? null,
    pairs: tasks.length,
    planned,
    task: decision?.task ?? null,
    eValue: decision?.eValue ?? eValue,
    threshold: decision?.threshold ?? null,
    difference: { value, low, high },
  };
}
