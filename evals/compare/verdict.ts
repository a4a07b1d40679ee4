import type { Difference } from "./compare-arms.ts";

/** The answer, in the words of the design; `not comparable` and `withheld` say that there is none. */
export type VerdictWord =
  "better" | "worse" | "better on this suite only" | "no difference shown" | "too few tasks" | "withheld" | "not comparable";

export interface Verdict {
  readonly word: VerdictWord;
  /** One sentence. */
  readonly text: string;
  /** Between 15 and 29 tasks: a hint, not a result. */
  readonly exploratory: boolean;
}

/** Under this many tasks the t interval covers too little to decide on. */
const fewestTasks = 15;
const exploratoryBelow = 30;
const alpha = 0.05;

const points = (share: number): string => `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)} points`;

/**
 * Decides from both readings of trials without a score, with their Holm-adjusted p. Follows the new-tasks estimand: *better* and *worse* need
 * p < 5 % and an interval without 0, both ways.
 */
export function decide(o: {
  a: string;
  b: string;
  readings: readonly (Difference & { readonly adjustedP: number })[];
  simulated: boolean;
}): Verdict {
  const { a, b, readings } = o;
  const [main] = readings;
  const tasks = Math.min(...readings.map((one) => one.tasks));
  const exploratory = tasks >= fewestTasks && tasks < exploratoryBelow;
  const verdict = (word: VerdictWord, text: string): Verdict => ({
    word,
    text: `${text}${exploratory && word !== "withheld" ? " Exploratory: fewer than 30 tasks." : ""}`,
    exploratory,
  });
  if (o.simulated)
    return verdict(
      "withheld",
      "Verdict withheld: simulated. The model's faults and what the harness does about them were written by the same people, so this shows only that the machinery works.",
    );
  if (!main || tasks < fewestTasks)
    return verdict("too few tasks", `No verdict: ${tasks} tasks are too few to decide on; ${fewestTasks} are needed, counts only.`);
  const shows = (sign: 1 | -1): boolean =>
    readings.every((one) => one.adjustedP < alpha && (sign > 0 ? one.newTasks.low > 0 : one.newTasks.high < 0));
  const size = `${points(main.newTasks.value)}, 95 % interval ${points(main.newTasks.low)} to ${points(main.newTasks.high)}, p = ${main.adjustedP.toFixed(4)}`;
  if (shows(1)) return verdict("better", `${b} is better than ${a}: ${size}.`);
  if (shows(-1)) return verdict("worse", `${b} is worse than ${a}: ${size}.`);
  const here = readings.every((one) => one.thisSuite !== null && one.thisSuite.low > 0);
  if (here) return verdict("better on this suite only", `${b} is better than ${a} on these tasks, which says nothing of others: ${size}.`);
  return verdict(
    "no difference shown",
    `No difference shown between ${a} and ${b} (could have seen ${points(main.couldHaveSeen)} or more): ${size}.`,
  );
}
