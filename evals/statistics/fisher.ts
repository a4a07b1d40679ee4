import { logBinomial } from "./distributions.ts";

/**
 * Fisher's exact test of two shares, two-sided: the chance of tables that are no likelier than the one seen, where both shares are one. Source: Fisher,
 * "Statistical Methods for Research Workers" (1934).
 * @param a passed of so many trials, whole numbers
 */
export function fisher(a: readonly [passed: number, trials: number], b: readonly [passed: number, trials: number]): number {
  const passed = a[0] + b[0];
  const chance = (own: number): number =>
    Math.exp(logBinomial(a[1], own) + logBinomial(b[1], passed - own) - logBinomial(a[1] + b[1], passed));
  const seen = chance(a[0]);
  let p = 0;
  for (let own = Math.max(0, passed - b[1]); own <= Math.min(passed, a[1]); own++) {
    const one = chance(own);
    if (one <= seen * (1 + 1e-9)) p += one;
  }
  return Math.min(1, p);
}
