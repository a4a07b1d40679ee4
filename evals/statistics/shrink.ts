import { mean, squaresAround } from "./moments.ts";

/** A group's mean difference, its standard error, and what is left of it when it borrows from the other groups. */
export interface Shrunken {
  readonly raw: number;
  readonly value: number;
  readonly se: number;
}

/**
 * Empirical-Bayes shrinkage of groups' means towards their common one: a group of few tasks moves far, one of many little, and all meet where the
 * groups differ no more than chance explains. Source: DerSimonian and Laird, "Meta-analysis in clinical trials" (1986), moment estimate of the
 * variance between groups; Efron and Morris, "Stein's paradox in statistics" (1977).
 * @param groups differences of the tasks of each group, none empty; the variance of a task is taken over all groups, as small ones cannot tell their own
 */
export function shrink(groups: readonly (readonly number[])[]): Shrunken[] {
  const all = groups.flat();
  const overall = mean(all);
  const freedom = all.length - groups.length;
  const inside = groups.reduce((sum, group) => sum + squaresAround(group), 0);
  const around = squaresAround(all, overall) / Math.max(1, all.length - 1);
  const taskVariance = freedom > 0 && inside > 0 ? inside / freedom : around; // groups that are each of one mind tell nothing of their spread
  if (taskVariance === 0) return groups.map((group) => ({ raw: mean(group), value: mean(group), se: 0 }));
  const weights = groups.map((group) => group.length / taskVariance);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scale = total - weights.reduce((sum, weight) => sum + weight * weight, 0) / total;
  const q = groups.reduce((sum, group, i) => sum + (weights[i] ?? 0) * (mean(group) - overall) ** 2, 0);
  const between = scale > 0 ? Math.max(0, (q - (groups.length - 1)) / scale) : 0;
  return groups.map((group): Shrunken => {
    const error = taskVariance / group.length;
    const kept = between / (between + error);
    return {
      raw: mean(group),
      value: overall + kept * (mean(group) - overall),
      se: Math.sqrt(kept * error + (1 - kept) ** 2 * (taskVariance / all.length)),
    };
  });
}
