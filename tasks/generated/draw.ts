import { createHash } from "node:crypto";
import { seededRandom } from "../../harness/seeded-random.ts";

/** Seeded choices. Equal seeds give equal sequences on every machine. */
export interface Draw {
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  /** `count` different items, in the order drawn. Throws `RangeError` when there are not so many. */
  some<T>(items: readonly T[], count: number): T[];
  shuffled<T>(items: readonly T[]): T[];
}

/** Draws that depend on all of `parts` and on nothing else: a family, a level, a seed. */
export function createDraw(...parts: readonly (string | number)[]): Draw {
  const random = seededRandom(createHash("sha256").update(JSON.stringify(parts)).digest().readUInt32BE(0));
  const int = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const shuffled = <T>(items: readonly T[]): T[] => {
    const rest = [...items];
    return items.map(() => rest.splice(int(0, rest.length - 1), 1)).flat();
  };
  const some = <T>(items: readonly T[], count: number): T[] => {
    if (count > items.length) throw new RangeError(`${count} of ${items.length} items cannot be drawn.`);
    return shuffled(items).slice(0, count);
  };
  return {
    int,
    chance: (probability) => random() < probability,
    pick<T>(items: readonly T[]): T {
      const [one] = some(items, 1);
      return one as T; // `some` answers as many as asked, or throws
    },
    some,
    shuffled,
  };
}
