import type { Spent } from "../../../harness/contract/run-result.ts";
import type { TrialRun } from "../../bench-ports.ts";

/** Runs of several steps as one: the first one's trace, the last one's outcome, all that was spent. Undefined where none began. */
export function oneRun(runs: readonly TrialRun[]): TrialRun | undefined {
  const [first, ...others] = runs;
  const last = runs.at(-1);
  if (!first || !last || others.length === 0) return first;
  return { ...last, trace: first.trace, result: { ...last.result, spent: runs.map(({ result }) => result.spent).reduce(add) } };
}

function add(a: Spent, b: Spent): Spent {
  return {
    turns: a.turns + b.turns,
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    activeMs: a.activeMs + b.activeMs,
  };
}
