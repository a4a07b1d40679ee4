import type { DifferenceEstimate, Estimate } from "../statistics/interval.ts";
import { byFamily, familyMeans, familyVariance, type FamilyVariance } from "../statistics/family-means.ts";
import { mean } from "../statistics/moments.ts";
import { familyDifference, pairedDifference, type PairedTest } from "../statistics/paired-test.ts";
import { detectable, varianceComponents, type VarianceComponents } from "../statistics/power.ts";
import { thisSuite } from "../statistics/this-suite.ts";
import { scoresOf, type AnyArm, type AnyTrial, type InfraReading } from "../arms/arm.ts";
import type { MissingTrials } from "../arms/missing-trials.ts";
import type { FamilyOf } from "./families.ts";

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
  /** Where families are known and one has two tasks or more: how many there are, and they are the unit. Null: the task is. */
  readonly families: number | null;
  readonly test: PairedTest;
  /** Before any adjustment for several comparisons. */
  readonly p: number;
  /** New tasks of the same kind, or new families of them, each of which weighs the same: keeps the variance between them. */
  readonly newTasks: DifferenceEstimate;
  /** The same with two units more, one that differs wholly each way: for claims that a difference is small. */
  readonly cautious: DifferenceEstimate;
  /** The mean over tasks, each of which weighs the same; null where tasks are the unit. */
  readonly taskWeighted: number | null;
  /** These tasks alone; null where repeats are too few to tell (fewer than 3 in some cell). */
  readonly thisSuite: (Estimate & { readonly p: number }) | null;
  /** The smallest true difference this comparison would have found four times out of five, α shared among all comparisons. */
  readonly couldHaveSeen: number;
  /** What the differences vary by; null without repeats. */
  readonly components: VarianceComponents | null;
  /** From family to family and within one, noise included; null where the task is the unit. */
  readonly familyVariance: FamilyVariance | null;
  readonly flips: readonly Flip[];
  /** Where the method has its own: p of "the difference is ±margin or more". */
  readonly equivalenceP?: number;
}

/** The scores of one task in both arms. */
export interface ScoredTask {
  readonly task: string;
  readonly a: readonly number[];
  readonly b: readonly number[];
}

const alpha = 0.05;

export interface ReadBy {
  readonly reading: InfraReading;
  /** How many there are in all: intervals are simultaneous, with α shared among them. */
  readonly comparisons?: number;
  readonly missing?: Pick<MissingTrials, "a" | "b"> | undefined;
  /** Left out: the task is the unit. */
  readonly familyOf?: FamilyOf | undefined;
}

/**
 * Compares B with A over the tasks that both have a score for. Families that are known are the unit; else one trial of pass or fail a task: McNemar; else
 * the t interval and sign flips over tasks. Every trial without a score, and every one that is missing, is read one way: see `InfraReading`.
 */
export function compareArms(a: AnyArm, b: AnyArm, { reading, comparisons = 1, missing, familyOf }: ReadBy): Difference {
  const lost = lostCounts(a, b, { reading, familyOf });
  const cells: ScoredTask[] = [];
  for (const task of tasksRead(a, reading === "excluded" ? undefined : missing)) {
    const scores = (arm: AnyArm, side: "a" | "b"): number[] => scoresOf(arm.tasks.get(task) ?? [], lost[side], missing?.[side].get(task));
    const cell = { task, a: scores(a, "a"), b: scores(b, "b") };
    if (cell.a.length > 0 && cell.b.length > 0) cells.push(cell);
  }
  return { reading, ...differenceOf(cells, comparisons, familyOf) };
}

/** The difference over these tasks. */
export function differenceOf(
  cells: readonly ScoredTask[],
  comparisons: number,
  familyOf: FamilyOf | undefined,
): Omit<Difference, "reading"> {
  const flips = cells.map((cell): Flip => {
    const [x, y] = [mean(cell.a), mean(cell.b)];
    return { task: cell.task, a: x, b: y, change: y > x ? "fixed" : y < x ? "broken" : "same" };
  });
  const single = cells.every((cell) => [cell.a, cell.b].every((scores) => scores.length === 1 && (scores[0] === 0 || scores[0] === 1)));
  const repeated = cells.every((cell) => cell.a.length >= 3 && cell.b.length >= 3);
  const differences = flips.map((flip) => flip.b - flip.a);
  const shared = alpha / comparisons;
  const families =
    familyOf &&
    byFamily(
      differences,
      flips.map(({ task }) => familyOf(task)),
    );
  const { test, p, estimate, cautious } = families
    ? familyDifference(familyMeans(families), shared)
    : pairedDifference(differences, single, shared);
  return {
    tasks: cells.length,
    families: families?.length ?? null,
    test,
    p,
    newTasks: estimate,
    cautious,
    taskWeighted: families ? mean(differences) : null,
    thisSuite: repeated && cells.length > 0 ? thisSuite(cells, shared) : null,
    couldHaveSeen: detectable(estimate.se, shared, 0.8, families && families.length - 1),
    components: varianceComponents(cells, families) ?? null,
    familyVariance: (families && familyVariance(families)) ?? null,
    flips,
  };
}

/** The tasks of A, and those of which it has none and misses some. */
export function tasksRead(a: AnyArm, missing: Pick<MissingTrials, "a"> | undefined): string[] {
  return [...a.tasks.keys(), ...[...(missing?.a.keys() ?? [])].filter((task) => !a.tasks.has(task))];
}

/** What a trial without a score counts in each arm. Against the claim: it is the arm with the higher mean that fails where nothing is known. */
function lostCounts(
  a: AnyArm,
  b: AnyArm,
  { reading, familyOf }: Pick<ReadBy, "reading" | "familyOf">,
): { a: number | undefined; b: number | undefined } {
  if (reading === "excluded") return { a: undefined, b: undefined };
  if (reading === "failed") return { a: 0, b: 0 };
  const seemsBetter = compareArms(a, b, { reading: "excluded", familyOf }).newTasks.value > 0;
  return seemsBetter ? { a: 1, b: 0 } : { a: 0, b: 1 };
}

/** Trials of both arms that have no score, in tasks that both have. */
export function lostTrials(a: AnyArm, b: AnyArm): number {
  const of = (trials: readonly AnyTrial[]): number => trials.filter(({ record }) => record.score === null).length;
  return [...a.tasks].reduce((sum, [task, trials]) => sum + (b.tasks.has(task) ? of(trials) + of(b.tasks.get(task) ?? []) : 0), 0);
}
