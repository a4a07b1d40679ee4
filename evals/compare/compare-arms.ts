import type { DifferenceEstimate, Estimate } from "../statistics/interval.ts";
import { mean } from "../statistics/moments.ts";
import { pairedDifference, type PairedTest } from "../statistics/paired-test.ts";
import { detectable, varianceComponents, type VarianceComponents } from "../statistics/power.ts";
import { thisSuite } from "../statistics/this-suite.ts";
import { scoresOf, type AnyArm, type AnyTrial, type InfraReading } from "../arms/arm.ts";
import type { MissingTrials } from "../arms/missing-trials.ts";

/** One task in both arms: mean scores, and what happened to it. */
export interface Flip {
  readonly task: string;
  readonly a: number;
  readonly b: number;
  readonly change: "fixed" | "broken" | "same";
}

/** The difference B − A read one way, on new tasks and on these. */
export interface Difference {
  readonly reading: InfraReading;
  readonly tasks: number;
  readonly test: PairedTest;
  /** Before any adjustment for several comparisons. */
  readonly p: number;
  /** New tasks of the same kind: keeps the variance between tasks. */
  readonly newTasks: DifferenceEstimate;
  /** These tasks alone; null where repeats are too few to tell (fewer than 3 in some cell). */
  readonly thisSuite: (Estimate & { readonly p: number }) | null;
  /** The smallest true difference this comparison would have found four times out of five, α shared among all comparisons. */
  readonly couldHaveSeen: number;
  /** What the differences vary by; null without repeats. */
  readonly components: VarianceComponents | null;
  readonly flips: readonly Flip[];
  /** Where the method has its own: p of "the difference is ±margin or more". */
  readonly equivalenceP?: number;
}

interface Cell {
  readonly task: string;
  readonly a: readonly number[];
  readonly b: readonly number[];
}

const alpha = 0.05;

/**
 * Compares B with A over the tasks that both have a score for. One trial of pass or fail a task: McNemar; else the t interval and sign flips over tasks.
 * Every trial without a score, and every one that is missing, is read one way: see `InfraReading`.
 */
export function compareArms(
  a: AnyArm,
  b: AnyArm,
  reading: InfraReading,
  comparisons = 1,
  missing?: Pick<MissingTrials, "a" | "b">,
): Difference {
  const lost = lostCounts(a, b, reading);
  const cells: Cell[] = [];
  for (const task of tasksRead(a, reading === "excluded" ? undefined : missing)) {
    const scores = (arm: AnyArm, side: "a" | "b"): number[] => scoresOf(arm.tasks.get(task) ?? [], lost[side], missing?.[side].get(task));
    const cell = { task, a: scores(a, "a"), b: scores(b, "b") };
    if (cell.a.length > 0 && cell.b.length > 0) cells.push(cell);
  }
  const flips = cells.map((cell): Flip => {
    const [x, y] = [mean(cell.a), mean(cell.b)];
    return { task: cell.task, a: x, b: y, change: y > x ? "fixed" : y < x ? "broken" : "same" };
  });
  const single = cells.every((cell) => [cell.a, cell.b].every((scores) => scores.length === 1 && (scores[0] === 0 || scores[0] === 1)));
  const repeated = cells.every((cell) => cell.a.length >= 3 && cell.b.length >= 3);
  const differences = flips.map((flip) => flip.b - flip.a);
  const { test, p, estimate } = pairedDifference(differences, single, alpha);
  return {
    reading,
    tasks: cells.length,
    test,
    p,
    newTasks: estimate,
    thisSuite: repeated && cells.length > 0 ? thisSuite(cells, alpha) : null,
    couldHaveSeen: detectable(estimate.se, alpha / comparisons),
    components: varianceComponents(cells) ?? null,
    flips,
  };
}

/** The tasks of A, and those of which it has none and misses some. */
function tasksRead(a: AnyArm, missing: Pick<MissingTrials, "a"> | undefined): string[] {
  return [...a.tasks.keys(), ...[...(missing?.a.keys() ?? [])].filter((task) => !a.tasks.has(task))];
}

/** What a trial without a score counts in each arm. Against the claim: it is the arm with the higher mean that fails where nothing is known. */
function lostCounts(a: AnyArm, b: AnyArm, reading: InfraReading): { a: number | undefined; b: number | undefined } {
  if (reading === "excluded") return { a: undefined, b: undefined };
  if (reading === "failed") return { a: 0, b: 0 };
  const seemsBetter = compareArms(a, b, "excluded").newTasks.value > 0;
  return seemsBetter ? { a: 1, b: 0 } : { a: 0, b: 1 };
}

/** Trials of both arms that have no score, in tasks that both have. */
export function lostTrials(a: AnyArm, b: AnyArm): number {
  const of = (trials: readonly AnyTrial[]): number => trials.filter(({ record }) => record.score === null).length;
  return [...a.tasks].reduce((sum, [task, trials]) => sum + (b.tasks.has(task) ? of(trials) + of(b.tasks.get(task) ?? []) : 0), 0);
}
