import { normalQuantile, tQuantile } from "./distributions.ts";

/** A point estimate with its two-sided interval. `se` is the standard error where the method has one. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly se?: number;
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
export function tInterval(means: readonly number[], alpha = 0.05, bounds: readonly [number, number] = [0, 1]): Estimate {
  const n = means.length;
  const value = means.reduce((sum, x) => sum + x, 0) / Math.max(n, 1);
  if (n < 2) return { value, low: bounds[0], high: bounds[1] };
  const se = Math.sqrt(means.reduce((sum, x) => sum + (x - value) ** 2, 0) / (n - 1) / n);
  const half = tQuantile(1 - alpha / 2, n - 1) * se;
  return { value, low: Math.max(bounds[0], value - half), high: Math.min(bounds[1], value + half), se };
}

/**
 * Interval of the difference of two paired shares. Source: Bonett and Price, "Adjusted Wald confidence interval for a difference of binomial
 * proportions based on paired data", J. Educ. Behav. Stat. 37 (2012).
 * @param gained tasks that only B passes; `lost` those that only A passes; `n` all tasks
 */
export function bonettPrice(gained: number, lost: number, n: number, alpha = 0.05): Estimate {
  const up = (gained + 1) / (n + 2);
  const down = (lost + 1) / (n + 2);
  const centre = up - down;
  const se = Math.sqrt((up + down - centre * centre) / (n + 2));
  const half = normalQuantile(1 - alpha / 2) * se;
  return { value: (gained - lost) / n, low: Math.max(-1, centre - half), high: Math.min(1, centre + half), se };
}

/**
 * The difference on these very tasks: only the variance between repeats counts. Each cell needs two scores or more.
 * @param cells per task the scores of A and of B
 */
export function thisSuiteInterval(
  cells: readonly { readonly a: readonly number[]; readonly b: readonly number[] }[],
  alpha = 0.05,
): Estimate {
  const n = cells.length;
  const mean = (x: readonly number[]): number => x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = (x: readonly number[]): number => x.reduce((sum, value) => sum + (value - mean(x)) ** 2, 0) / (x.length - 1);
  const value = cells.reduce((sum, { a, b }) => sum + mean(b) - mean(a), 0) / n;
  const se = Math.sqrt(cells.reduce((sum, { a, b }) => sum + variance(a) / a.length + variance(b) / b.length, 0)) / n;
  const df = cells.reduce((sum, { a, b }) => sum + a.length + b.length - 2, 0);
  const half = tQuantile(1 - alpha / 2, df) * se;
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half), se };
}

/**
 * The smallest true difference that a comparison with this standard error would have found with the given power.
 * Source: Miller (2024), δ = (z_{α/2} + z_β) · SE.
 */
export const detectable = (se: number, alpha = 0.05, power = 0.8): number => (normalQuantile(1 - alpha / 2) + normalQuantile(power)) * se;
