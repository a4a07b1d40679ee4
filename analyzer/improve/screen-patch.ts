import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import { tQuantile } from "../../evals/statistics/distributions.ts";
import { mean, variance } from "../../evals/statistics/moments.ts";
import { signFlip } from "../../evals/statistics/sign-flip.ts";
import { groupBy } from "../contrast/cells.ts";

/** One-sided. */
const screenAlpha = 0.1;

/** One task of a develop family, run with the base and with a patch. */
export interface Pair {
  readonly task: string;
  readonly family: string;
  readonly base: number;
  readonly patch: number;
}

/** What screening says of a patch: selected, so its effect is inflated, and never a verdict. */
export interface Screen {
  readonly issue: string;
  /** Pairs with both scores, and those that were planned. */
  readonly pairs: number;
  readonly planned: number;
  readonly passed: { readonly base: number; readonly patch: number };
  readonly fixed: readonly string[];
  readonly broken: readonly string[];
  /** Mean of the families' mean differences; null without a pair. */
  readonly mean: number | null;
  /** 90 % interval for new seeds of these families, from the variance within them; null with fewer than two pairs a family. */
  readonly interval: readonly [number, number] | null;
  /** One-sided: signs of pairs flipped. */
  readonly p: number | null;
  readonly families: Readonly<Record<string, number>>;
  /** Tokens of all its trials. */
  readonly tokens: { readonly base: number; readonly patch: number };
  readonly removal: boolean;
  /** Undefined: screening has not ended. */
  readonly kept: boolean | undefined;
  readonly why: string;
}

/** Pairs of a job's trials: tasks of which both configurations have a score. */
export function pairsOf(records: readonly TrialRecord[], base: string, patch: string): Pair[] {
  const score = (task: string, configuration: string): number | null =>
    records.find((one) => one.task === task && one.configuration === configuration)?.score ?? null;
  return [...new Map(records.map(({ task, family }) => [task, family ?? task]))].flatMap(([task, family]) => {
    const [a, b] = [score(task, base), score(task, patch)];
    return a === null || b === null ? [] : [{ task, family, base: a, patch: b }];
  });
}

/**
 * Kept: family-stratified mean above 0 with one-sided p < .10; a removal with a mean of 0 or more that is cheaper. Families are fixed here and each weighs the
 * same: p is the sign-flip test over pairs, each divided by its family's number of pairs.
 */
export function screenPatch(
  pairs: readonly Pair[],
  o: Pick<Screen, "issue" | "planned" | "removal" | "tokens"> & { readonly ended: boolean },
): Screen {
  const groups = [...groupBy(pairs, ({ family }) => family)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const differences = groups.map(([, group]) => group.map(({ base, patch }) => patch - base));
  const means = differences.map((group) => mean(group));
  const effect = means.length === 0 ? null : mean(means);
  const weighted = differences.flatMap((group) => group.map((d) => d / group.length));
  const twoSided = signFlip(weighted).p;
  const p = effect === null ? null : effect > 0 ? twoSided / 2 : 1 - twoSided / 2;
  const { issue, planned, removal, tokens } = o;
  const cheaper = tokens.patch < tokens.base;
  const kept = effect !== null && p !== null && ((effect > 0 && p < screenAlpha) || (removal && effect >= 0 && cheaper));
  return {
    issue,
    planned,
    removal,
    tokens,
    pairs: pairs.length,
    passed: { base: pairs.filter(({ base }) => base >= 1).length, patch: pairs.filter(({ patch }) => patch >= 1).length },
    fixed: pairs.filter(({ base, patch }) => patch > base).map(({ task }) => task),
    broken: pairs.filter(({ base, patch }) => patch < base).map(({ task }) => task),
    mean: effect,
    interval: effect === null ? null : intervalOf(effect, differences),
    p,
    families: Object.fromEntries(groups.map(([family], i) => [family, means[i] ?? 0])),
    kept: o.ended ? kept : undefined,
    why: o.ended ? reason({ kept, effect, p, removal, cheaper }) : `screening has not ended: ${pairs.length} of ${planned} pairs`,
  };
}

/** Families fixed, ≥ 2 pairs each: the variance within families alone. */
function intervalOf(effect: number, differences: readonly (readonly number[])[]): readonly [number, number] | null {
  if (differences.some((group) => group.length < 2)) return null;
  const freedom = differences.reduce((sum, group) => sum + group.length - 1, 0);
  const se = Math.sqrt(differences.reduce((sum, group) => sum + variance(group) / group.length, 0)) / differences.length;
  const half = tQuantile(1 - screenAlpha / 2, freedom) * se;
  return [Math.max(-1, effect - half), Math.min(1, effect + half)];
}

function reason(o: { kept: boolean; effect: number | null; p: number | null; removal: boolean; cheaper: boolean }): string {
  if (o.effect === null || o.p === null) return "no pair has both scores";
  if (o.kept)
    return o.effect > 0 && o.p < screenAlpha ? "mean above 0, one-sided p < .10" : "a removal: not worse in the mean, and cheaper";
  if (o.effect <= 0 && !o.removal) return "its mean is not above 0";
  if (o.removal && o.effect < 0) return "a removal whose mean is below 0";
  return o.removal ? "a removal that is not cheaper, and p is not below .10" : "one-sided p is not below .10";
}
