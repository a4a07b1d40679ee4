import { equivalence } from "../statistics/equivalence.ts";
import { holm } from "../statistics/holm.ts";
import { showsDifference } from "../statistics/paired-difference.ts";
import type { Difference } from "./compare-arms.ts";

/** The answer, in the words of the design; `not comparable` and `withheld` say that there is none. */
export type VerdictWord =
  "better" | "worse" | "better on this suite only" | "equivalent" | "no difference shown" | "too few tasks" | "withheld" | "not comparable";

export interface Verdict {
  readonly word: VerdictWord;
  /** One sentence, or two. */
  readonly text: string;
  /** Between 15 and 29 tasks: a hint, not a result. */
  readonly exploratory: boolean;
}

/** A reading with its p after Holm's adjustment over all comparisons: of the difference, of the one on this suite, and of equivalence within the margin. */
export type AdjustedDifference = Omit<Difference, "equivalenceP"> & {
  readonly adjustedP: number;
  readonly adjustedSuiteP: number | null;
  /** Two one-sided tests; null where no margin was stated. */
  readonly equivalenceP: number | null;
};

/** Under this many tasks the t interval covers too little to decide on. */
const fewestTasks = 15;
const exploratoryBelow = 30;
const alpha = 0.05;

export const points = (share: number): string => `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)} points`;

/** One reading of every comparison, adjusted together. */
export function adjust(differences: readonly Difference[], margin: number | undefined): AdjustedDifference[] {
  const adjusted = holm(differences.map(({ p }) => p));
  const suite = holm(differences.map((one) => one.thisSuite?.p ?? 1));
  const same = margin === undefined ? [] : holm(differences.map((one) => one.equivalenceP ?? equivalence(one.newTasks, margin)));
  return differences.map((difference, i) => ({
    ...difference,
    adjustedP: adjusted[i] ?? 1,
    adjustedSuiteP: difference.thisSuite ? (suite[i] ?? 1) : null,
    equivalenceP: same[i] ?? null,
  }));
}

/**
 * Decides from all readings of trials without a score. Follows the new-tasks estimand: *better* and *worse* need p < 5 % after Holm and an interval
 * without 0, in each reading.
 */
export function decide(o: {
  a: string;
  b: string;
  readings: readonly AdjustedDifference[];
  simulated: boolean;
  margin?: number | undefined;
  /** Of a job that stops when decided: who was better, if anybody, after how many of the planned tasks. */
  looks?: { readonly better: "a" | "b" | null; readonly tasks: number; readonly planned: number } | undefined;
}): Verdict {
  const { a, b, readings, looks } = o;
  const [main] = readings;
  const tasks = Math.min(...readings.map((one) => one.tasks));
  const exploratory = tasks >= fewestTasks && tasks < exploratoryBelow;
  const verdict = (word: VerdictWord, text: string): Verdict => ({
    word,
    text: `${looks && looks.better !== null && looks.tasks < looks.planned && word !== "withheld" ? `Stopped early, after ${looks.tasks} of ${looks.planned} tasks: ` : ""}${text}${exploratory && word !== "withheld" ? " Exploratory: fewer than 30 tasks." : ""}`,
    exploratory,
  });
  if (o.simulated)
    return verdict(
      "withheld",
      "Verdict withheld: simulated, a plumbing check. The model's faults and what the harness does about them were written by the same people, so this shows only that the machinery works.",
    );
  if (!main || tasks < fewestTasks)
    return verdict("too few tasks", `No verdict: ${tasks} tasks are too few to decide on; ${fewestTasks} are needed, counts only.`);
  const shows = (of: readonly AdjustedDifference[], sign: 1 | -1): boolean =>
    // what was decided while it ran is decided, and by nothing else
    looks
      ? looks.better === (sign > 0 ? "b" : "a")
      : showsDifference(
          of.map((one) => ({ p: one.adjustedP, interval: one.newTasks })),
          sign,
          alpha,
        );
  const size = `${points(main.newTasks.value)}, 95 % interval ${looks ? "at any time " : ""}${points(main.newTasks.low)} to ${points(main.newTasks.high)}, ${main.adjustedP < 0.0001 ? "p < 0.0001" : `p = ${main.adjustedP.toFixed(4)}`}`;
  if (shows(readings, 1)) return verdict("better", `${b} is better than ${a}: ${size}.`);
  if (shows(readings, -1)) return verdict("worse", `${b} is worse than ${a}: ${size}.`);
  const within = o.margin !== undefined && readings.every((one) => one.equivalenceP !== null && one.equivalenceP < alpha);
  if (within) return verdict("equivalent", `${a} and ${b} are equivalent within ±${points(o.margin ?? 0).replace("+", "")}: ${size}.`);
  const here = readings.every((one) => one.thisSuite !== null && one.thisSuite.low > 0 && (one.adjustedSuiteP ?? 1) < alpha);
  if (here) return verdict("better on this suite only", `${b} is better than ${a} on these tasks, which says nothing of others: ${size}.`);
  const broken = ([1, -1] as const).some((sign) => shows([main], sign))
    ? readings.find((one) => one !== main && !shows([one], 1) && !shows([one], -1))
    : undefined;
  const fragile = broken
    ? ` It shows when trials without a score are left out, and not when they count ${broken.reading === "failed" ? "as failures" : "against it"}.`
    : "";
  return verdict(
    "no difference shown",
    `No difference shown between ${a} and ${b} (could have seen ${points(main.couldHaveSeen)} or more): ${size}.${fragile}`,
  );
}
