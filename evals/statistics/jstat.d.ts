declare module "jstat" {
  export const jStat: {
    readonly normal: { inv(p: number, mean: number, std: number): number; cdf(x: number, mean: number, std: number): number };
    readonly studentt: { inv(p: number, df: number): number; cdf(x: number, df: number): number };
    /** Regularised incomplete beta function I_x(a, b), and the logarithm of the gamma function. */
    ibeta(x: number, a: number, b: number): number;
    gammaln(x: number): number;
  };
  const module: object;
  export default module;
}
