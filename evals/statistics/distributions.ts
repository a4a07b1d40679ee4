import jstat, { type jStat as JStat } from "jstat";

// Taken from jstat as it is: its quantiles agree with tables to eight digits, far below what a suite of tasks can tell apart.
const { jStat } = jstat as unknown as { readonly jStat: typeof JStat }; // a CommonJS module: everything hangs on its default export

/** Quantile of the standard normal distribution. */
export const normalQuantile = (p: number): number => jStat.normal.inv(p, 0, 1);

/** Quantile of Student's t with `df` degrees of freedom. */
export const tQuantile = (p: number, df: number): number => jStat.studentt.inv(p, df);

/** P(X = k) for X ~ Bin(n, ½). */
export const fairBinomial = (k: number, n: number): number => jStat.binomial.pdf(k, n, 0.5);
