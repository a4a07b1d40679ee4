import { normalQuantile, tQuantile } from "./distributions.ts";
import { mean, variance } from "./moments.ts";

/** A point estimate with its two-sided interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Standard error, where the method has one. */
  readonly se?: number;
}

/** What an interval of a difference was built from, for a test of equivalence: its middle, which may be shrunk, and degrees of freedom; null: normal. */
export interface DifferenceEstimate extends Estimate {
  readonly se: number;
  readonly centre: number;
  readonly df: number | null;
}

/**
 * Wilson's score interval of a share. Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
 * @param passed successes out of `n` independent trials, n ≥ 1
 */
export function wilson(passed: number, n: number, alpha = 0.05): Estimate {
  const z = normalQuantile(1 - alpha / 2);
  const share = passed / n;
  const centre = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return { value: share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * Student's t interval of a mean over tasks: the task is the cluster, so `means` holds one number a task however often it was tried.
 * Source: Miller, "Adding Error Bars to Evals" (2024), clustered standard errors; Student (1908). With fewer than two tasks it is everything.
 */
export function tInterval(means: ArrayLike<number>, alpha = 0.05, bounds: readonly [number, number] = [0, 1]): DifferenceEstimate {
  const n = means.length;
  const value = n > 0 ? mean(means) : 0;
  if (n < 2) return { value, low: bounds[0], high: bounds[1], se: bounds[1] - bounds[0], centre: value, df: 1 };
  const se = Math.sqrt(variance(means, value) / n);
  const half = tQuantile(1 - alpha / 2, n - 1) * se;
  return { value, low: Math.max(bounds[0], value - half), high: Math.min(bounds[1], value + half), se, centre: value, df: n - 1 };
}

/**
 * Interval of the difference of two paired shares. Source: Bonett and Price, "Adjusted Wald confidence interval for a difference of binomial
 * proportions based on paired data", J. Educ. Behav. Stat. 37 (2012).
 * @param gained tasks that only B passes; `lost` those that only A passes; `n` all tasks
 */
export function bonettPrice(gained: number, lost: number, n: number, alpha = 0.05): DifferenceEstimate {
  const up = (gained + 1) / (n + 2);
  const down = (lost + 1) / (n + 2);
  const centre = up - down;
  const se = Math.sqrt((up + down - centre * centre) / (n + 2));
  const half = normalQuantile(1 - alpha / 2) * se;
  return {
    value: n > 0 ? (gained - lost) / n : 0,
    low: Math.max(-1, centre - half),
    high: Math.min(1, centre + half),
    se,
    centre,
    df: null,
  };
}
