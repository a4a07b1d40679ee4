import jstat, { type jStat as JStat } from "jstat";

// Taken from jstat as it is: its quantiles agree with tables to eight digits, far below what a suite of tasks can tell apart.
const { jStat } = jstat as unknown as { readonly jStat: typeof JStat }; // a CommonJS module: everything hangs on its default export

/** Quantile of the standard normal distribution. */
export const normalQuantile = (p: number): number => jStat.normal.inv(p, 0, 1);

/** P(Z ≤ x) of the standard normal distribution. */
export const normalCdf = (x: number): number => jStat.normal.cdf(x, 0, 1);

const known = new Map<string, number>(); // a simulation asks for the same few quantiles a million times, and each is an iteration

/** Quantile of Student's t with `df` degrees of freedom, df > 0. */
export function tQuantile(p: number, df: number): number {
  const key = `${p} ${df}`;
  const value = known.get(key) ?? jStat.studentt.inv(p, df);
  if (known.size < 10_000) known.set(key, value);
  return value;
}

/** P(T ≤ x) of Student's t. */
export const tCdf = (x: number, df: number): number => jStat.studentt.cdf(x, df);

/** ln of n over k, 0 ≤ k ≤ n. */
export const logBinomial = (n: number, k: number): number => jStat.gammaln(n + 1) - jStat.gammaln(k + 1) - jStat.gammaln(n - k + 1);

/** P(X = k) for X ~ Bin(n, ½); by logarithms, so that n may be large. */
export const fairBinomial = (k: number, n: number): number => Math.exp(logBinomial(n, k) - n * Math.LN2);

/** P(X ≤ k) for X ~ Bin(n, ½), 0 ≤ k < n. */
export const fairBinomialUpTo = (k: number, n: number): number => jStat.ibeta(0.5, n - k, k + 1);
