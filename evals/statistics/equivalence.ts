import { normalCdf, tCdf } from "./distributions.ts";
import type { DifferenceEstimate } from "./interval.ts";

/**
 * Two one-sided tests: p of "the difference is ±margin or more", the larger of both sides. Under α, the arms are equivalent within the margin.
 * Source: Schuirmann, "A comparison of the two one-sided tests procedure and the power approach", J. Pharmacokinet. Biopharm. 15 (1987).
 * @param margin a share in (0, 1), stated before the results are seen
 */
export function equivalence({ centre, se, df }: DifferenceEstimate, margin: number): number {
  const below = (x: number): number => (df === null ? normalCdf(x) : tCdf(x, df));
  const side = (distance: number): number => (se > 0 ? 1 - below(distance / se) : distance > 0 ? 0 : 1);
  return Math.max(side(centre + margin), side(margin - centre));
}
