declare module "jstat" {
  export const jStat: {
    readonly normal: { inv(p: number, mean: number, std: number): number; cdf(x: number, mean: number, std: number): number };
    readonly studentt: { inv(p: number, df: number): number };
    readonly binomial: { cdf(k: number, n: number, p: number): number; pdf(k: number, n: number, p: number): number };
  };
  const module: object;
  export default module;
}
