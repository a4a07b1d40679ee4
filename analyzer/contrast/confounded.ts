import { groupBy } from "./cells.ts";
import type { Side } from "./feature.ts";
import { countIn, least, type Marks } from "./mark.ts";

/** Failed runs of one configuration or model beside passed ones of another, of the same task: anything that tells the two apart may be the cause. */
export interface Confounded {
  readonly feature: string;
  readonly says: string;
  /** Tasks in which failed runs differ so from another configuration's passed ones, and those the other way round. */
  readonly tasks: number;
  readonly against: number;
  readonly families: number;
  readonly configurations: readonly string[];
}

/** As many tasks for each one the other way round. */
const leastTimes = 2;

/** By the number of tasks. */
export function confoundedBy(all: readonly Marks[]): Confounded[] {
  return all.flatMap(betweenConfigurations).toSorted((a, b) => b.tasks - a.tasks || (a.feature < b.feature ? -1 : 1));
}

interface Lean {
  readonly family: string;
  readonly configurations: readonly string[];
  readonly lean: number;
}

function betweenConfigurations(marks: Marks): Confounded[] {
  const cells = marks.cells.filter(({ table }) => countIn(table) > 0);
  const leans = [...groupBy(cells, ({ head }) => head.task).values()].flatMap((own): Lean[] => {
    const [first] = own;
    if (!first || own.length < 2) return [];
    const lean = leanOf(own.map(({ table }) => table));
    return [{ family: first.head.family, configurations: own.map(({ head }) => head.configuration), lean }];
  });
  const more = leans.filter(({ lean }) => lean > 0);
  const less = leans.filter(({ lean }) => lean < 0);
  const { name, shown, lacking } = marks.feature;
  return [...confounded(name, shown, more, less), ...confounded(name, lacking, less, more)];
}

function confounded(feature: string, side: Side, own: readonly Lean[], other: readonly Lean[]): Confounded[] {
  const families = new Set(own.map(({ family }) => family)).size;
  if (!side.explains || own.length < least.tasks || families < least.families || own.length < leastTimes * other.length) return [];
  const configurations = [...new Set(own.flatMap((one) => one.configurations))].toSorted();
  return [{ feature, says: side.says, tasks: own.length, against: other.length, families, configurations }];
}

/** Over pairs of a failed run of one cell and a passed one of another: those in which only the failed one shows the feature, less the reverse. */
function leanOf(tables: readonly { readonly a: number; readonly b: number; readonly c: number; readonly d: number }[]): number {
  let lean = 0;
  for (const [i, failed] of tables.entries())
    for (const [j, passed] of tables.entries()) if (i !== j) lean += failed.a * passed.d - failed.c * passed.b;
  return lean;
}
