import { benjaminiHochberg } from "../../evals/statistics/benjamini-hochberg.ts";
import { mantelHaenszel, type CommonOddsRatio } from "../../evals/statistics/strata/mantel-haenszel.ts";
import { cellsOf, type Cell } from "./cells.ts";
import type { ContrastRow } from "./contrast-row.ts";
import type { Feature } from "./feature.ts";
import { features as allFeatures } from "./features/features.ts";
import { confoundedBy, type Confounded } from "./confounded.ts";
import { hintsOf, type Hint } from "./hints.ts";
import { describeMarks, informativeIn, least, markAll, tableOf, type Described, type Marks } from "./mark.ts";

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

/** Compares passed with failed runs within task and configuration. The same rows in any order give the same. */
export function contrastRuns(rows: readonly ContrastRow[], features: readonly Feature[] = allFeatures): ContrastReport {
  const cells = cellsOf(rows);
  const all = features.map((feature) => markAll(feature, cells));
  const enough = all.filter((marks) => {
    const { tasks, families } = informativeIn(marks);
    return tasks.size >= least.tasks && families.size >= least.families;
  });
  const odds = enough.map(({ tables }) => mantelHaenszel(tables));
  const rates = benjaminiHochberg(odds.map(({ p }) => p));
  const tested = enough.flatMap((marks, i): Tested[] => {
    const own = odds[i];
    return own ? [{ marks, odds: own, q: rates[i] ?? 1 }] : [];
  });
  return {
    runs: rows.length,
    cells: cells.length,
    mixedCells: cells.filter(isMixed).length,
    contrasts: explained(tested).toSorted((a, b) => a.p - b.p), // stable: equal ones stay in the order of the list
    hints: hintsOf(
      all.filter((marks) => !enough.includes(marks)),
      all,
    ),
    confounded: confoundedBy(all),
  };
}

const isMixed = ({ rows }: Cell): boolean => rows.some(({ passed }) => passed) && rows.some(({ passed }) => !passed);

/** In the order of the list, where what comes first in a run is first: a later feature is one of its own only where an earlier one leaves something of it. */
function explained(tested: readonly Tested[]): Contrast[] {
  const kept: Tested[] = [];
  return tested.map((one): Contrast => {
    const { marks, odds, q } = one;
    const found = q <= level;
    const by = found ? kept.find((other) => explains(other.marks, marks)) : undefined;
    if (found && !by) kept.push(one);
    const described = describeMarks(marks, odds.oddsRatio >= 1 ? "shown" : "lacking");
    return { feature: marks.feature.name, ...described, ...odds, q, found, goesWith: by?.marks.feature.name ?? null };
  });
}

/** Whether nothing is left of a contrast when each cell is split by another feature. */
function explains(other: Marks, { cells, tables }: Marks): boolean {
  const split = tables.flatMap((_, i) => {
    const shows = new Map((other.cells[i] ?? []).map(({ row, shows: has }) => [row.run, has]));
    return [true, false].map((has) => (cells[i] ?? []).filter(({ row }) => shows.get(row.run) === has));
  });
  return mantelHaenszel(split.map(tableOf)).p > level;
}
