import { bonettPrice, detectable, thisSuiteInterval, tInterval, type Estimate } from "../statistics/interval.ts";
import { mcNemar, signFlip } from "../statistics/tests.ts";
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
  readonly test: "McNemar mid-p" | "sign-flip permutation";
  /** Before any adjustment for several comparisons. */
  readonly p: number;
  /** New tasks of the same kind: keeps the variance between tasks. */
  readonly newTasks: Estimate;
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
  const gained = flips.filter((flip) => flip.change === "fixed").length;
  const lost = flips.filter((flip) => flip.change === "broken").length;
  const differences = flips.map((flip) => flip.b - flip.a);
  const newTasks = single ? bonettPrice(gained, lost, n) : tInterval(differences, 0.05, [-1, 1]);
  return {
    reading,
    tasks: n,
    test: single ? "McNemar mid-p" : "sign-flip permutation",
    p: single ? mcNemar(gained, lost).midP : signFlip(differences),
    newTasks,
    thisSuite: repeated && n > 0 ? thisSuiteInterval(cells) : null,
    couldHaveSeen: detectable(newTasks.se ?? 1),
    flips,
  };
}
