import { benjaminiHochberg } from "../../evals/statistics/benjamini-hochberg.ts";
import { mantelHaenszel, type CommonOddsRatio } from "../../evals/statistics/strata/mantel-haenszel.ts";
import type { Cell } from "./cells.ts";
import type { Feature } from "./feature.ts";
import { features as allFeatures } from "./features/features.ts";
import { confoundedBy, type Confounded } from "./confounded.ts";
import { hintsOf, type Hint } from "./hints.ts";
import { describeMarks, informativeIn, least, markAll, splitBy, type Described, type MarkedCell, type Marks } from "./mark.ts";

const level = 0.05;

/** How failed and passed runs of the same task and configuration differ in one feature. */
export interface Contrast extends CommonOddsRatio, Described {
  readonly feature: string;
  /** Benjamini–Hochberg over the features that can be tested. */
  readonly q: number;
  /** Its false-discovery rate is at most 5 %. */
  readonly found: boolean;
  /** An earlier feature that was found and explains this one: among runs that are alike in that one, nothing is left. */
  readonly goesWith: string | null;
}

export interface ContrastReport {
  /** Runs that could be compared, the cells of task and configuration that they are in, and those of both outcomes. */
  readonly runs: number;
  readonly cells: number;
  readonly mixedCells: number;
  /** All that could be tested, the surest first. */
  readonly contrasts: readonly Contrast[];
  readonly hints: readonly Hint[];
  readonly confounded: readonly Confounded[];
}

interface Tested {
  readonly marks: Marks;
  readonly odds: CommonOddsRatio;
  readonly q: number;
}

/** Compares passed with failed runs within task and configuration. The same runs in any order give the same. */
export function contrastRuns(cells: Iterable<Cell>, features: readonly Feature[] = allFeatures): ContrastReport {
  const { marked, all } = markAll(features, cells);
  const enough = all.filter((marks) => {
    const { tasks, families } = informativeIn(marks);
    return tasks.size >= least.tasks && families.size >= least.families;
  });
  const odds = enough.map((marks) => mantelHaenszel(marks.cells.map(({ table }) => table)));
  const rates = benjaminiHochberg(odds.map(({ p }) => p));
  const tested = enough.flatMap((marks, i): Tested[] => {
    const own = odds[i];
    return own ? [{ marks, odds: own, q: rates[i] ?? 1 }] : [];
  });
  return {
    runs: marked.reduce((sum, { runs }) => sum + runs, 0),
    cells: marked.length,
    mixedCells: marked.filter(isMixed).length,
    contrasts: explained(tested, (marks, other) => explains(marked, all.indexOf(marks), all.indexOf(other))).toSorted((a, b) => a.p - b.p), // stable: equal ones stay in the order of the list
    hints: hintsOf(
      all.filter((marks) => !enough.includes(marks)),
      all,
    ),
    confounded: confoundedBy(all),
  };
}

const isMixed = ({ passed }: MarkedCell): boolean => passed.includes(1) && passed.includes(0);

/** In the order of the list, where what comes first in a run is first: a later feature is one of its own only where an earlier one leaves something of it. */
function explained(tested: readonly Tested[], isExplained: (marks: Marks, by: Marks) => boolean): Contrast[] {
  const kept: Tested[] = [];
  return tested.map((one): Contrast => {
    const { marks, odds, q } = one;
    const found = q <= level;
    const by = found ? kept.find((other) => isExplained(marks, other.marks)) : undefined;
    if (found && !by) kept.push(one);
    const described = describeMarks(marks, odds.oddsRatio >= 1 ? "shown" : "lacking");
    return { feature: marks.feature.name, ...described, ...odds, q, found, goesWith: by?.marks.feature.name ?? null };
  });
}

/** Whether nothing is left of a feature's contrast when each cell is split by another one. */
const explains = (cells: readonly MarkedCell[], feature: number, other: number): boolean =>
  mantelHaenszel(cells.flatMap((cell) => splitBy(cell, feature, other))).p > level;
