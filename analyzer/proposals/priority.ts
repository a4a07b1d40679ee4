import type { Issue } from "../contract.ts";

/** Shares of all failed runs that a change must win, divided by what it costs, to be worth it. */
export const thresholds = { fix: 0.1, ifEasy: 0.03 } as const;
/** A file of a few lines; something that has to be built first. */
const costs = { patch: 1, recommendation: 3 } as const;

/** Runs lost × predicted gain ÷ cost, as a share of all failed runs. */
export function priorityOf(o: { readonly gain: number; readonly failed: number; readonly patched: boolean }): Issue["priority"] {
  const worth = o.failed === 0 ? 0 : o.gain / costs[o.patched ? "patch" : "recommendation"] / o.failed;
  return worth >= thresholds.fix ? "fix" : worth >= thresholds.ifEasy ? "fix if easy" : "drop";
}
