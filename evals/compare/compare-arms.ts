import type { DifferenceEstimate, Estimate } from "../statistics/interval.ts";
import { pairedDifference, type PairedTest } from "../statistics/paired-difference.ts";
import { detectable } from "../statistics/power.ts";
import { thisSuite } from "../statistics/this-suite.ts";
import { scoresOf, type Arm, type InfraReading } from "./arm.ts";

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
  readonly thisSuite: Estimate | null;
  /** The smallest true difference this comparison would have found four times out of five. */
  readonly couldHaveSeen: number;
  readonly flips: readonly Flip[];
}

interface Cell {
  readonly task: string;
  readonly a: readonly number[];
  readonly b: readonly number[];
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Compares B with A over the tasks that both have a score for. K = 1 and pass/fail: McNemar; else the t interval and a permutation over tasks. */
export function compareArms(a: Arm, b: Arm, reading: InfraReading): Difference {
  const cells = [...a.tasks].flatMap(([task, records]): Cell[] => {
    const cell = { task, a: scoresOf(records, reading), b: scoresOf(b.tasks.get(task) ?? [], reading) };
    return cell.a.length > 0 && cell.b.length > 0 ? [cell] : [];
  });
  const flips = cells.map((cell): Flip => {
    const [x, y] = [mean(cell.a), mean(cell.b)];
    return { task: cell.task, a: x, b: y, change: y > x ? "fixed" : y < x ? "broken" : "same" };
  });
  const single = cells.every((cell) => [cell.a, cell.b].every((scores) => scores.length === 1 && (scores[0] === 0 || scores[0] === 1)));
  const repeated = cells.every((cell) => cell.a.length >= 3 && cell.b.length >= 3);
  const n = cells.length;
  const differences = flips.map((flip) => flip.b - flip.a);
  const { test, p, estimate } = pairedDifference(differences, single);
  return {
    reading,
    tasks: n,
    test,
    p,
    newTasks: estimate,
    thisSuite: repeated && n > 0 ? thisSuite(cells) : null,
    couldHaveSeen: detectable(estimate.se),
    flips,
  };
}
