import { bonettPrice, tInterval, type DifferenceEstimate } from "./interval.ts";
import { mcNemar } from "./mc-nemar.ts";
import { signFlip } from "./sign-flip.ts";

/** `e-process`: of a job that was looked at after every task. */
export type PairedTest = "McNemar mid-p" | "sign-flip permutation" | "e-process";

/** The mean difference over tasks, for new tasks of the same kind. */
export interface PairedDifference {
  readonly test: PairedTest;
  /** Two-sided, before any adjustment for several comparisons. */
  readonly p: number;
  readonly estimate: DifferenceEstimate;
}

/**
 * The design's choice of method, in one place for the comparison and for the simulation that tries it.
 * `single` (one trial of pass or fail a task): exact McNemar with mid-p and Bonett–Price's interval. Else: sign flips, and Student's t interval on the
 * tasks' differences. Where all tasks differ by the same amount they say nothing of their spread, and t would give an interval without width:
 * there two tasks are added, one each way, as Bonett and Price add them.
 * @param differences B − A of each task's mean score, in [−1, 1]
 */
export function pairedDifference(differences: ArrayLike<number>, single: boolean, alpha = 0.05): PairedDifference {
  if (single) {
    let [gained, lost] = [0, 0];
    for (let i = 0; i < differences.length; i++) {
      const d = differences[i] ?? 0;
      if (d > 0) gained++;
      else if (d < 0) lost++;
    }
    return {
      test: "McNemar mid-p",
      p: mcNemar(gained, lost).midP,
      estimate: bonettPrice(gained, lost, differences.length, alpha),
    };
  }
  const plain = tInterval(differences, alpha, [-1, 1]);
  const estimate = plain.se > 1e-9 ? plain : { ...tInterval([...Array.from(differences), 1, -1], alpha, [-1, 1]), value: plain.value };
  return { test: "sign-flip permutation", p: signFlip(differences).p, estimate };
}

/** Whether readings of one difference together show it: each with p < α and an interval without 0, all to the same side. */
export function showsDifference(
  readings: readonly { readonly p: number; readonly interval: { readonly low: number; readonly high: number } }[],
  sign: 1 | -1,
  alpha = 0.05,
): boolean {
  return readings.length > 0 && readings.every(({ p, interval }) => p < alpha && (sign > 0 ? interval.low > 0 : interval.high < 0));
}
