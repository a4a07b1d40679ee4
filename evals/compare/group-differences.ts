import { shrink } from "../statistics/shrink.ts";
import type { AnyArm } from "../arms/arm.ts";
import type { Flip } from "./compare-arms.ts";

/** The difference on the tasks of one family, category or difficulty: to form a guess by, never a verdict. */
export interface GroupDifference {
  readonly by: (typeof grouped)[number];
  readonly name: string;
  readonly tasks: number;
  /** B − A as counted, and as far as it is to be believed: shrunken towards all tasks. */
  readonly raw: number;
  readonly shrunken: number;
  readonly se: number;
}

const grouped = ["family", "category", "difficulty"] as const;

/** By family, category and difficulty, where there are two or more of them. */
export function groupDifferences(a: AnyArm, flips: readonly Flip[]): GroupDifference[] {
  return grouped.flatMap((by) => {
    const groups = new Map<string, number[]>();
    for (const flip of flips) {
      const name = a.tasks.get(flip.task)?.[0]?.record[by] ?? null;
      if (name === null) continue;
      const group = groups.get(name);
      if (group) group.push(flip.b - flip.a);
      else groups.set(name, [flip.b - flip.a]);
    }
    if (groups.size < 2) return [];
    const names = [...groups.keys()].toSorted();
    return shrink(names.map((name) => groups.get(name) ?? [])).map(({ raw, value, se }, i): GroupDifference => {
      const name = names[i] ?? "";
      return { by, name, tasks: groups.get(name)?.length ?? 0, raw, shrunken: value, se };
    });
  });
}
