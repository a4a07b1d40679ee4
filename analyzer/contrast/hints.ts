import { isInformative } from "../../evals/statistics/strata/two-by-two.ts";
import { groupBy } from "./cells.ts";
import { countIn, sumOf, type CellMarks, type Marks } from "./mark.ts";

/** A difference that too few tasks show, or that lies between tasks: something to look at, and no finding. It has no odds ratio and no part in the false-discovery rate. */
export interface Hint {
  readonly feature: string;
  readonly says: string;
  /** `few tasks`: within tasks, but not in enough of them. `neighbouring tasks`: between tasks of a family whose own runs all ended alike. */
  readonly why: "few tasks" | "neighbouring tasks";
  readonly families: readonly string[];
  /** Failed runs that show it, of all failed ones that were compared; and passed ones. */
  readonly failed: readonly [shown: number, of: number];
  readonly passed: readonly [shown: number, of: number];
}

/** A hint's least difference in shares. */
const leastGap = 0.5;
/** Of each outcome. */
const leastRuns = 3;

export function hintsOf(untested: readonly Marks[], all: readonly Marks[]): Hint[] {
  return [
    ...untested.flatMap((marks) =>
      hint(
        marks,
        marks.cells.filter(({ table }) => isInformative(table)),
        "few tasks",
      ),
    ),
    ...all.flatMap((marks) => hint(marks, neighbours(marks), "neighbouring tasks")),
  ];
}

/** Cells of one outcome, where a neighbour of the same family and configuration has the other. */
function neighbours({ cells }: Marks): CellMarks[] {
  const uniform = cells.filter(({ table }) => failedIn(table) !== passedIn(table));
  const byFamily = groupBy(uniform, ({ head }) => JSON.stringify([head.family, head.configuration, head.hash, head.model]));
  return [...byFamily.values()].filter((own) => new Set(own.map(({ table }) => passedIn(table))).size === 2).flat();
}

const failedIn = ({ a, c }: CellMarks["table"]): boolean => a + c > 0;
const passedIn = ({ b, d }: CellMarks["table"]): boolean => b + d > 0;

function hint({ feature }: Marks, cells: readonly CellMarks[], why: Hint["why"]): Hint[] {
  const { a, b, c, d } = sumOf(cells.map(({ table }) => table));
  if (a + c < leastRuns || b + d < leastRuns) return [];
  const gap = a / (a + c) - b / (b + d);
  const side = gap > 0 ? feature.shown : feature.lacking;
  if (!side.explains || Math.abs(gap) < leastGap) return [];
  const families = [...new Set(cells.flatMap(({ head, table }) => (countIn(table) > 0 ? [head.family] : [])))].toSorted();
  return [{ feature: feature.name, says: side.says, why, families, failed: [a, a + c], passed: [b, b + d] }];
}
