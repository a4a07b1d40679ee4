import { isInformative, type TwoByTwo } from "../../evals/statistics/strata/two-by-two.ts";
import { groupBy, type Cell, type CellHead } from "./cells.ts";
import type { ContrastRow } from "./contrast-row.ts";
import type { Feature, Place } from "./feature.ts";

/** A run that can be said to show a feature or not. */
export interface Marked {
  readonly row: ContrastRow;
  readonly shows: boolean;
  readonly place: Place | undefined;
}

/** The runs of a cell by a feature; left out: those of which it is not known, and those that did not reach the turns that are compared. */
export function markedRuns(cell: Cell, feature: Feature): Marked[] {
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

/** What is known of a run by a feature. */
const mark = { leftOut: 0, lacks: 1, shows: 2 } as const;

/** A cell by all features, small, so that those of ten thousand runs fit into memory: a byte a run and feature. */
export interface MarkedCell {
  readonly head: CellHead;
  readonly runs: number;
  /** Of each run whether it passed, 1 or 0. */
  readonly passed: Uint8Array;
  /** Of each feature, in their order, what is known of each run. */
  readonly marks: Uint8Array;
}

/** Fewer tasks or families than these show nothing but a hint. */
export const least = { tasks: 5, families: 3 } as const;

/** A feature of all cells, each with its table and the forms that the feature takes in it. */
export interface Marks {
  readonly feature: Feature;
  readonly cells: readonly CellMarks[];
}

export interface CellMarks {
  readonly head: CellHead;
  readonly table: TwoByTwo;
  readonly forms: ReadonlyMap<string, Tally>;
}

/** All features of all cells; the rows of a cell are looked at once and not kept. */
export function markAll(
  features: readonly Feature[],
  cells: Iterable<Cell>,
): { readonly marked: readonly MarkedCell[]; readonly all: readonly Marks[] } {
  const marked: MarkedCell[] = [];
  const all = features.map((feature) => ({ feature, cells: [] as CellMarks[] }));
  for (const cell of cells) {
    const runs = cell.rows.length;
    const places = new Map(cell.rows.map((row, i) => [row, i]));
    const marks = new Uint8Array(runs * features.length);
    for (const [f, own] of all.entries()) {
      const known = markedRuns(cell, own.feature);
      for (const { row, shows } of known) marks[f * runs + (places.get(row) ?? 0)] = shows ? mark.shows : mark.lacks;
      own.cells.push({ head: cell.head, table: tableOf(known), forms: formsOf(known) });
    }
    marked.push({ head: cell.head, runs, passed: Uint8Array.from(cell.rows, ({ passed }) => (passed ? 1 : 0)), marks });
  }
  return { marked, all };
}

function tableOf(runs: readonly Marked[]): TwoByTwo {
  const table = { a: 0, b: 0, c: 0, d: 0 };
  for (const { row, shows } of runs) table[shows ? (row.passed ? "b" : "a") : row.passed ? "d" : "c"]++;
  return table;
}

const noForms: ReadonlyMap<string, Tally> = new Map();

function formsOf(runs: readonly Marked[]): ReadonlyMap<string, Tally> {
  const formed = runs.filter(({ place }) => place?.form !== undefined);
  if (formed.length === 0) return noForms;
  return new Map([...groupBy(formed, ({ place }) => place?.form ?? "")].map(([form, own]) => [form, shownIn(tableOf(own))]));
}

/** The runs of a cell by one feature, of which it is known, in two tables: those that show another feature, and those that do not. */
export function splitBy(cell: MarkedCell, feature: number, other: number): [TwoByTwo, TwoByTwo] {
  const [having, lacking] = [
    { a: 0, b: 0, c: 0, d: 0 },
    { a: 0, b: 0, c: 0, d: 0 },
  ];
  for (let run = 0; run < cell.runs; run++) {
    const [own, by] = [cell.marks[feature * cell.runs + run], cell.marks[other * cell.runs + run]];
    if (own === mark.leftOut || by === mark.leftOut) continue;
    const passed = cell.passed[run] === 1;
    (by === mark.shows ? having : lacking)[own === mark.shows ? (passed ? "b" : "a") : passed ? "d" : "c"]++;
  }
  return [having, lacking];
}

/** Runs of a table. */
export const countIn = ({ a, b, c, d }: TwoByTwo): number => a + b + c + d;

/** Tasks and families in which the feature can be held against the outcome. */
export function informativeIn({ cells }: Marks): { readonly tasks: Set<string>; readonly families: Set<string> } {
  const heads = cells.flatMap(({ head, table }) => (isInformative(table) ? [head] : []));
  return { tasks: new Set(heads.map(({ task }) => task)), families: new Set(heads.map(({ family }) => family)) };
}

/** One table of several. */
export function sumOf(tables: readonly TwoByTwo[]): TwoByTwo {
  const sum = { a: 0, b: 0, c: 0, d: 0 };
  for (const table of tables) for (const place of ["a", "b", "c", "d"] as const) sum[place] += table[place];
  return sum;
}

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
  const configurations = [...new Set(cells.flatMap(({ head, table }) => (table.a + table.b > 0 ? [head.configuration] : [])))].toSorted();
  const counted = cells.filter(({ head }) => configurations.includes(head.configuration));
  const all = sumOf(counted.map(({ table }) => table));
  const forms = new Map<string, Tally>();
  for (const cell of counted)
    for (const [form, { failed, passed }] of cell.forms) {
      const before = forms.get(form) ?? { failed: 0, passed: 0 };
      forms.set(form, { failed: before.failed + failed, passed: before.passed + passed });
    }
  const { tasks, families } = informativeIn(marks);
  return {
    side,
    says: feature[side].says,
    withIt: shownIn(all),
    without: { failed: all.c, passed: all.d },
    forms: [...forms]
      .map(([form, runs]) => ({ form, ...runs }))
      .toSorted((a, b) => b.failed + b.passed - a.failed - a.passed || (a.form < b.form ? -1 : 1)),
    configurations,
    tasks: tasks.size,
    families: families.size,
    agree: [...leanings(marks).values()].filter((lean) => (side === "shown" ? lean > 0 : lean < 0)).length,
  };
}

/** Of each task, Σ (ad − bc)/n: above 0 where failed runs show the feature more often. */
function leanings({ cells }: Marks): Map<string, number> {
  const leans = new Map<string, number>();
  for (const { head, table } of cells) {
    const { a, b, c, d } = table;
    const n = countIn(table);
    if (n > 0) leans.set(head.task, (leans.get(head.task) ?? 0) + (a * d - b * c) / n);
  }
  return leans;
}

const shownIn = ({ a, b }: TwoByTwo): Tally => ({ failed: a, passed: b });
