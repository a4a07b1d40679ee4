import { normalQuantile } from "../distributions.ts";
import { dealAgain, exactInterval, exactP } from "./exact-strata.ts";
import { isInformative, type TwoByTwo } from "./two-by-two.ts";

/** How much likelier runs with the feature fail than runs without it, within strata. */
export interface CommonOddsRatio {
  /** ∞ where no run with the feature passed beside a failed one without it, or 0 the other way; NaN where no stratum is informative. */
  readonly oddsRatio: number;
  readonly low: number;
  readonly high: number;
  /** Exact, by dealing the outcomes again within strata; two-sided. */
  readonly p: number;
}

/**
 * The Mantel–Haenszel odds ratio over strata with the interval of Robins, Breslow and Greenland, which holds for many small strata as for few large ones;
 * where the ratio is 0 or ∞ and has no variance, the exact one. Sources: Mantel and Haenszel, "Statistical aspects of the analysis of data from retrospective
 * studies of disease", JNCI 22 (1959); Robins, Breslow and Greenland, "Estimators of the Mantel–Haenszel variance consistent in both sparse data and
 * large-strata limiting models", Biometrics 42 (1986).
 */
export function mantelHaenszel(strata: readonly TwoByTwo[], alpha = 0.05): CommonOddsRatio {
  const informative = strata.filter(isInformative);
  const dealt = dealAgain(informative);
  let [r, s, pr, psqr, qs] = [0, 0, 0, 0, 0];
  for (const { a, b, c, d } of informative) {
    const n = a + b + c + d;
    const [p, q, own, other] = [(a + d) / n, (b + c) / n, (a * d) / n, (b * c) / n];
    r += own;
    s += other;
    pr += p * own;
    psqr += p * other + q * own;
    qs += q * other;
  }
  const oddsRatio = r / s;
  const p = exactP(dealt);
  if (informative.length === 0) return { oddsRatio: Number.NaN, low: 0, high: Infinity, p };
  if (r === 0 || s === 0) return { oddsRatio, ...exactInterval(dealt, alpha), p };
  const half = normalQuantile(1 - alpha / 2) * Math.sqrt(pr / (2 * r * r) + psqr / (2 * r * s) + qs / (2 * s * s));
  return { oddsRatio, low: oddsRatio * Math.exp(-half), high: oddsRatio * Math.exp(half), p };
}
