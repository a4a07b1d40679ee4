import { points } from "./verdict.ts";
import type { Comparison } from "./compare.ts";

/** What a pipeline is told. `underpowered`: no regression was shown, and none of the size that matters was ruled out. */
export interface Gate {
  readonly answer: "passed" | "failed" | "underpowered" | "not comparable";
  /** One sentence. */
  readonly why: string;
}

/**
 * Passes where nothing is worse and, with a margin, where every interval rules out a loss of more than that. Too few tasks decide nothing, so they do not
 * pass; a withheld verdict does, as a plumbing check has nothing to regress.
 */
export function gateOf({ pairs, margin, notComparable }: Comparison): Gate {
  if (notComparable !== undefined) return { answer: "not comparable", why: `${notComparable}.` };
  const worse = pairs.filter(({ verdict }) => verdict.word === "worse");
  if (worse.length > 0) return { answer: "failed", why: `${worse.map(({ b }) => b).join(", ")}: worse than the baseline.` };
  const few = pairs.find(({ verdict }) => verdict.word === "too few tasks");
  if (few) return { answer: "underpowered", why: few.verdict.text };
  if (pairs.some(({ verdict }) => verdict.word === "withheld"))
    return { answer: "passed", why: "Verdict withheld: simulated, nothing was decided." };
  const open = margin === undefined ? undefined : pairs.find(({ readings }) => readings.some(({ newTasks }) => newTasks.low < -margin));
  if (open && margin !== undefined) {
    const low = Math.min(...open.readings.map(({ newTasks }) => newTasks.low));
    return {
      answer: "underpowered",
      why: `${open.b} may be worse by as much as ${points(-low).replace("+", "")}, more than the margin of ${points(margin).replace("+", "")}.`,
    };
  }
  return {
    answer: "passed",
    why: margin === undefined ? "No regression was shown." : `A loss of more than ${points(margin).replace("+", "")} is ruled out.`,
  };
}
