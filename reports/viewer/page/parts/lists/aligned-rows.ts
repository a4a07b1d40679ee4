import type { DiffSide } from "../../../api.ts";

/** Entries of two runs that stand side by side; undefined where one side has none. */
export interface AlignedRow {
  readonly a: number | undefined;
  readonly b: number | undefined;
  /** The first row that differs. */
  readonly parts: boolean;
}

type Side = Pick<DiffSide, "entries" | "part" | "turns">;

/** Each turn begins level, and so does what follows from where the two part; the side that has less to tell leaves the rest empty. */
export function alignedRows(a: Side, b: Side): AlignedRow[] {
  const turns = [...new Set([...a.turns, ...b.turns].map(({ turn }) => turn))].toSorted((x, y) => x - y);
  const starts = turns.map((turn) => ({ a: startOf(a, turn), b: startOf(b, turn), parts: false }));
  const parting = a.part === null || b.part === null ? [] : [{ a: a.part, b: b.part, parts: true }];
  // both sides only go on, so the order of one is the order of the other
  const marks = [{ a: 0, b: 0, parts: false }, ...starts, ...parting].toSorted((x, y) => x.a + x.b - (y.a + y.b));
  return marks.flatMap((mark, i) => {
    const next = marks[i + 1] ?? { a: a.entries, b: b.entries };
    const [inA, inB] = [next.a - mark.a, next.b - mark.b];
    return Array.from({ length: Math.max(inA, inB, 0) }, (_, row) => ({
      a: row < inA ? mark.a + row : undefined,
      b: row < inB ? mark.b + row : undefined,
      parts: row === 0 && marks.some((one) => one.parts && one.a === mark.a && one.b === mark.b),
    }));
  });
}

const startOf = ({ turns, entries }: Side, turn: number): number => turns.find((one) => one.turn >= turn)?.entry ?? entries;
