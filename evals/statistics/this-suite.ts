import { tCdf, tQuantile } from "./distributions.ts";
import type { Estimate } from "./interval.ts";
import { mean, variance } from "./moments.ts";

/** Scores of one task in both arms, a number a repeat. */
export interface Cell {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/**
 * The difference on these very tasks: only the variance between repeats counts, none between tasks. Each cell needs two scores or more. Degrees of
 * freedom after Welch and Satterthwaite, as cells differ in variance and most have none. Few repeats that all agree do not prove that they always
 * would: each arm gets one more cell in which one repeat differs, so that no interval is without width.
 * Source: Miller (2024), variance components; Satterthwaite (1946); the added cells in the manner of Agresti and Caffo (2000), tried by simulation.
 */
export function thisSuite(cells: readonly Cell[], alpha = 0.05): Estimate & { readonly se: number; readonly p: number } {
  const n = cells.length;
  let [value, total, weighted] = [0, 0, 0];
  let repeats = 0;
  const add = (of: number, k: number): void => {
    total += of / k;
    weighted += (of / k) ** 2 / (k - 1);
  };
  for (const { a, b } of cells) {
    const [meanA, meanB] = [mean(a), mean(b)];
    value += (meanB - meanA) / n;
    add(variance(a, meanA), a.length);
    add(variance(b, meanB), b.length);
    repeats += (a.length + b.length) / 2 / n;
  }
  const k = Math.max(2, Math.round(repeats));
  add(1 / k, k);
  add(1 / k, k);
  const se = Math.sqrt(total) / n;
  const df = total ** 2 / weighted;
  const half = tQuantile(1 - alpha / 2, df) * se;
  const p = 2 * (1 - tCdf(Math.abs(value) / se, df));
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half), se, p };
}
