import type { DiffSide } from "../../api.ts";

/** Entries of two runs that stand side by side; undefined where one side has none. */
export interface AlignedRow {
  readonly a: number | undefined;
  readonly b: number | undefined;
  /** The first row that differs. */
  readonly parts: boolean;
}

type Side = Pick<DiffSide, "entries" | "part" | "turns">;

/** What both have in common stands level entry by entry; from where they part on each turn begins level, and the shorter one leaves the rest empty. */
export function alignedRows(a: Side, b: Side): AlignedRow[] {
  const [partA, partB] = [a.part ?? a.entries, b.part ?? b.entries];
  const rows: AlignedRow[] = [];
  const add = (fromA: number, toA: number, fromB: number, toB: number, parts: boolean): void => {
    for (let i = 0; i < Math.max(toA - fromA, toB - fromB); i++)
      rows.push({
        a: fromA + i < toA ? fromA + i : undefined,
        b: fromB + i < toB ? fromB + i : undefined,
        parts: parts && i === 0,
      });
  };
  // the common part may be told in more entries on one side, where a lane that parts later came earlier: it ends level all the same
  add(0, partA, 0, partB, false);
  const [startsA, startsB] = [
    [partA, ...a.turns],
    [partB, ...b.turns],
  ];
  for (let i = 0; i < Math.max(startsA.length, startsB.length); i++) {
    const [fromA, fromB] = [startsA[i] ?? a.entries, startsB[i] ?? b.entries];
    add(fromA, startsA[i + 1] ?? a.entries, fromB, startsB[i + 1] ?? b.entries, i === 0);
  }
  return rows;
}
