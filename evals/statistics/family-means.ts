import { mean, variance } from "./moments.ts";

/** Fewer of either give no verdict; below the second pair a verdict is exploratory. Families count where they are known, tasks always. */
export const fewest = { tasks: 15, families: 8 } as const;
export const exploratoryBelow = { tasks: 30, families: 15 } as const;

/**
 * The differences of the tasks by family, where any family has two tasks or more; undefined where none has: then the task is the unit. A task of no known
 * family is one by itself.
 */
export function byFamily(differences: ArrayLike<number>, families: readonly (string | null)[]): number[][] | undefined {
  const groups = new Map<string | number, number[]>();
  for (let i = 0; i < differences.length; i++) {
    const key = families[i] ?? i;
    const group = groups.get(key);
    if (group) group.push(differences[i] ?? 0);
    else groups.set(key, [differences[i] ?? 0]);
  }
  return groups.size < differences.length ? [...groups.values()] : undefined;
}

/** One number a family: its tasks are variants of one another, so however many there are, the family has one vote. */
export const familyMeans = (groups: readonly (readonly number[])[]): number[] =>
  groups.map((group) => mean(group.toSorted((x, y) => x - y)));

/** What tasks' differences vary by: from family to family, and from task to task within one, each trial's noise included. */
export interface FamilyVariance {
  readonly family: number;
  readonly within: number;
}

/**
 * The two components by the method of moments, the first never under 0. Undefined with one family, or where each has one task.
 * Source: Searle, Casella and McCulloch, "Variance Components" (1992), analysis of variance of unbalanced data.
 */
export function familyVariance(groups: readonly (readonly number[])[]): FamilyVariance | undefined {
  const all = groups.flat();
  const freedom = all.length - groups.length;
  if (groups.length < 2 || freedom < 1) return undefined;
  const within = groups.reduce((sum, group) => sum + (group.length > 1 ? variance(group) * (group.length - 1) : 0), 0) / freedom;
  const centre = mean(all);
  const between = groups.reduce((sum, group) => sum + group.length * (mean(group) - centre) ** 2, 0) / (groups.length - 1);
  const size = (all.length - groups.reduce((sum, group) => sum + group.length ** 2, 0) / all.length) / (groups.length - 1);
  return { family: Math.max(0, (between - within) / size), within };
}
