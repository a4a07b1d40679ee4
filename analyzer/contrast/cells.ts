import type { ContrastRow } from "./contrast-row.ts";

/** What places a run in its cell. */
export type CellRun = Pick<ContrastRow, "run" | "task" | "family" | "configuration" | "hash" | "model" | "turns">;

/** What the runs of a cell have in common. Another harness or model under the same name is another configuration. */
export type CellHead = Omit<CellRun, "run" | "turns">;

/** Runs of one task by one configuration: the stratum within which outcomes may be dealt again. */
export interface Cell {
  readonly head: CellHead;
  readonly rows: readonly ContrastRow[];
  /** Turns that are compared. At least three of four runs reached them; the others say nothing of later turns than the first. */
  readonly horizon: number;
}

/** Cells by name, whatever the order of the rows. */
export const cellsOf = (rows: readonly ContrastRow[]): Cell[] => grouped(rows).map(({ runs, ...cell }) => ({ ...cell, rows: runs }));

/** The same cells, of which each has its rows read when its turn comes: those of one are in memory at a time, however often they are gone through. */
export function readCells<T extends CellRun>(runs: readonly T[], rowsOf: (runs: readonly T[]) => readonly ContrastRow[]): Iterable<Cell> {
  const cells = grouped(runs);
  return {
    *[Symbol.iterator]() {
      for (const { head, horizon, runs: own } of cells) yield { head, horizon, rows: rowsOf(own) };
    },
  };
}

function grouped<T extends CellRun>(
  runs: readonly T[],
): { readonly head: CellHead; readonly horizon: number; readonly runs: readonly T[] }[] {
  const sorted = runs.toSorted((a, b) => (a.run < b.run ? -1 : 1));
  const byKey = groupBy(sorted, (run) => JSON.stringify([run.task, run.configuration, run.hash, run.model]));
  return [...byKey]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => {
      const [first] = own;
      if (!first) return [];
      const turns = own.map((one) => one.turns).toSorted((a, b) => a - b);
      const { task, family, configuration, hash, model } = first;
      const head = { task, family, configuration, hash, model };
      return [{ head, runs: own, horizon: turns[Math.floor(turns.length / 4)] ?? 1 }];
    });
}

/** Names that were first met within so many turns. */
export const namesBy = (list: ContrastRow["files"], horizon: number): Set<string> =>
  new Set(list.flatMap(([name, turn]) => (turn <= horizon ? [name] : [])));

/** In the order in which keys are met. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const own = groups.get(key);
    if (own) own.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
