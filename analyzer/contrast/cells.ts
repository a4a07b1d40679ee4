import type { ContrastRow } from "./contrast-row.ts";

/** Runs of one task by one configuration: the stratum within which outcomes may be dealt again. */
export interface Cell {
  readonly task: string;
  readonly family: string;
  readonly configuration: string;
  readonly rows: readonly ContrastRow[];
  /** Turns that are compared. At least three of four runs reached them; the others say nothing of later turns than the first. */
  readonly horizon: number;
}

/** Cells by name, whatever the order of the rows. Another harness or model under the same name is another configuration. */
export function cellsOf(rows: readonly ContrastRow[]): Cell[] {
  const sorted = rows.toSorted((a, b) => (a.run < b.run ? -1 : 1));
  const byKey = groupBy(sorted, (row) => JSON.stringify([row.task, row.configuration, row.hash, row.model]));
  return [...byKey]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => {
      const [row] = own;
      if (!row) return [];
      const turns = own.map((one) => one.turns).toSorted((a, b) => a - b);
      const { task, family, configuration } = row;
      return [{ task, family, configuration, rows: own, horizon: turns[Math.floor(turns.length / 4)] ?? 1 }];
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
