import { priorities, type Issue } from "../contract.ts";

/** Shares of all failed runs that a change must win, divided by what it costs, to be worth it. */
export const thresholds = { fix: 0.1, ifEasy: 0.03 } as const;
/** A file of a few lines; something that has to be built first. */
const costs = { patch: 1, recommendation: 3 } as const;

/**
 * Runs lost × predicted gain ÷ cost, as a share of all failed runs. A patch that reaches more passed runs than it may win failed ones is a step less: none of
 * these needs it, and each is put at risk.
 * @param o.reached passed runs that would go otherwise, as far as a replay shows
 */
export function priorityOf(o: {
  readonly gain: number;
  readonly failed: number;
  readonly patched: boolean;
  readonly reached?: number;
}): Issue["priority"] {
  const worth = o.failed === 0 ? 0 : o.gain / costs[o.patched ? "patch" : "recommendation"] / o.failed;
  const step = worth >= thresholds.fix ? 0 : worth >= thresholds.ifEasy ? 1 : 2;
  return priorities[Math.min(2, step + ((o.reached ?? 0) > o.gain ? 1 : 0))] ?? "drop";
}
