import { bonettPrice, tInterval, type DifferenceEstimate } from "./interval.ts";
import { mcNemar } from "./mc-nemar.ts";
import { signFlip } from "./sign-flip.ts";

/** `e-process`: of a job that was looked at after every task. */
export type PairedTest = "McNemar mid-p" | "sign-flip permutation" | "sign-flip of families" | "e-process";

/** The mean difference over tasks, for new tasks of the same kind; over families, for new families. */
export interface PairedDifference {
  readonly test: PairedTest;
  /** Two-sided, before any adjustment for several comparisons. */
  readonly p: number;
  readonly estimate: DifferenceEstimate;
  /** With two units more, one that differs wholly each way: what claims that a difference is small rest on. */
  readonly cautious: DifferenceEstimate;
}

/**
 * The design's choice of method, in one place for the comparison and for the simulation that tries it.
 * `single` (one trial of pass or fail a task): exact McNemar with mid-p and Bonett–Price's interval. Else: sign flips, and Student's t interval on the
 * tasks' differences. Where all tasks differ by the same amount they say nothing of their spread, and t would give an interval without width:
 * there two tasks are added, one each way, as Bonett and Price add them. A claim of equivalence always has the two: where a few tasks of many break wholly,
 * the sample often has none of them, and its own spread then rules out what is there.
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
    const estimate = bonettPrice(gained, lost, differences.length, alpha);
    return { test: "McNemar mid-p", p: mcNemar(gained, lost).midP, estimate, cautious: estimate }; // has the two already
  }
  return { test: "sign-flip permutation", ...flipped(differences, alpha) };
}

/**
 * The same over families: D_g = the mean difference of the tasks of family g, Student's t over the D_g with G − 1 degrees of freedom, signs flipped for whole
 * families. Families weigh equally, as each is one draw of what is asked about. Tasks as the unit are wrong there: at an intraclass correlation of .2 to .37
 * they give 11 to 49 % false verdicts where 5 are announced. Sources: Miller, "Adding Error Bars to Evals" (2024), clustered questions; Donner and Klar,
 * "Design and Analysis of Cluster Randomization Trials" (2000), cluster-level analysis; Gail et al., "On design considerations and randomization-based
 * inference for community intervention trials", Stat. Med. 15 (1996).
 */
export const familyDifference = (means: ArrayLike<number>, alpha = 0.05): PairedDifference => ({
  test: "sign-flip of families",
  ...flipped(means, alpha),
});

function flipped(differences: ArrayLike<number>, alpha: number): Omit<PairedDifference, "test"> {
  const sorted = Array.from(differences).toSorted((x, y) => x - y); // sums do not depend on the order of tasks
  const plain = tInterval(sorted, alpha, [-1, 1]);
  const cautious = { ...tInterval([...sorted, 1, -1], alpha, [-1, 1]), value: plain.value };
  return { p: signFlip(sorted).p, estimate: plain.se > 1e-9 ? plain : cautious, cautious };
}

/** Whether readings of one difference together show it: each with p < α and an interval without 0, all to the same side. */
export function showsDifference(
  readings: readonly { readonly p: number; readonly interval: { readonly low: number; readonly high: number } }[],
  sign: 1 | -1,
  alpha = 0.05,
): boolean {
  return readings.length > 0 && readings.every(({ p, interval }) => p < alpha && (sign > 0 ? interval.low > 0 : interval.high < 0));
}
