import { isInformative, type TwoByTwo } from "../../evals/statistics/strata/two-by-two.ts";
import { groupBy, type Cell } from "./cells.ts";
import type { ContrastRow } from "./contrast-row.ts";
import type { Feature, Place } from "./feature.ts";

/** A run that can be said to show a feature or not. */
export interface Marked {
  readonly row: ContrastRow;
  readonly shows: boolean;
  readonly place: Place | undefined;
}

/** The runs of a cell by a feature; left out: those of which it is not known, and those that did not reach the turns that are compared. */
function marked(cell: Cell, feature: Feature): Marked[] {
  const horizon = feature.scope === "first reply" ? 1 : cell.horizon;
  const rows = cell.rows.filter((row) => row.turns >= horizon && (row.effectsKnown || !feature.needsEffects));
  if ("among" in feature) {
    const shows = feature.among({ ...cell, rows });
    return rows.map((row) => ({ row, shows: shows(row), place: undefined }));
  }
  return rows.map((row) => {
    const { form, ...place } = row.seen[feature.name] ?? { turn: Infinity, seq: 0, step: null, quote: "" };
    const shows = place.turn <= horizon;
    return { row, shows, place: shows ? { ...place, ...(form === undefined ? {} : { form }) } : undefined };
  });
}

export function tableOf(runs: readonly Marked[]): TwoByTwo {
  const table = { a: 0, b: 0, c: 0, d: 0 };
  for (const { row, shows } of runs) table[shows ? (row.passed ? "b" : "a") : row.passed ? "d" : "c"]++;
  return table;
}

/** Fewer tasks or families than these show nothing but a hint. */
export const least = { tasks: 5, families: 3 } as const;

/** A feature of all cells, each with its table. */
export interface Marks {
  readonly feature: Feature;
  readonly cells: readonly (readonly Marked[])[];
  readonly tables: readonly TwoByTwo[];
}

export function markAll(feature: Feature, cells: readonly Cell[]): Marks {
  const all = cells.map((cell) => marked(cell, feature));
  return { feature, cells: all, tables: all.map(tableOf) };
}

/** Tasks and families in which the feature can be held against the outcome. */
export function informativeIn({ cells, tables }: Marks): { readonly tasks: Set<string>; readonly families: Set<string> } {
  const rows = cells.flatMap(([run], i) => (run && isInformative(tables[i] ?? nothing) ? [run.row] : []));
  return { tasks: new Set(rows.map(({ task }) => task)), families: new Set(rows.map(({ family }) => family)) };
}
const nothing: TwoByTwo = { a: 0, b: 0, c: 0, d: 0 };

export interface Tally {
  readonly failed: number;
  readonly passed: number;
}

export interface Described {
  /** Failed runs show it more often, or less. */
  readonly side: "shown" | "lacking";
  readonly says: string;
  /** Of all runs of the configurations in which any run shows it. */
  readonly withIt: Tally;
  readonly without: Tally;
  /** Of the runs that show it, by the form that it takes; the commonest first. */
  readonly forms: readonly (Tally & { readonly form: string })[];
  readonly configurations: readonly string[];
  /** Tasks in which runs of both outcomes were with it and without, their families, and of these tasks those that lean to the side. */
  readonly tasks: number;
  readonly families: number;
  readonly agree: number;
}

/** What a feature's marks amount to, in counts. */
export function describeMarks(marks: Marks, side: Described["side"]): Described {
  const { feature, cells } = marks;
  const all = cells.flat();
  const configurations = [...new Set(all.flatMap(({ row, shows }) => (shows ? [row.configuration] : [])))].toSorted();
  const counted = all.filter(({ row }) => configurations.includes(row.configuration));
  const withIt = counted.filter(({ shows }) => shows);
  const forms = groupBy(
    withIt.filter(({ place }) => place?.form !== undefined),
    ({ place }) => place?.form ?? "",
  );
  const { tasks, families } = informativeIn(marks);
  return {
    side,
    says: feature[side].says,
    withIt: tallyOf(withIt),
    without: tallyOf(counted.filter(({ shows }) => !shows)),
    forms: [...forms]
      .map(([form, runs]) => ({ form, ...tallyOf(runs) }))
      .toSorted((a, b) => b.failed + b.passed - a.failed - a.passed || (a.form < b.form ? -1 : 1)),
    configurations,
    tasks: tasks.size,
    families: families.size,
    agree: [...leanings(marks).values()].filter((lean) => (side === "shown" ? lean > 0 : lean < 0)).length,
  };
}

/** Of each task, Σ (ad − bc)/n: above 0 where failed runs show the feature more often. */
function leanings({ cells, tables }: Marks): Map<string, number> {
  const leans = new Map<string, number>();
  for (const [i, { a, b, c, d }] of tables.entries()) {
    const task = cells[i]?.[0]?.row.task;
    if (task !== undefined) leans.set(task, (leans.get(task) ?? 0) + (a * d - b * c) / (a + b + c + d));
  }
  return leans;
}

function tallyOf(runs: readonly Marked[]): Tally {
  const passed = runs.filter(({ row }) => row.passed).length;
  return { failed: runs.length - passed, passed };
}
