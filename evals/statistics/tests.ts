import { seededRandom } from "../../harness/seeded-random.ts";
import { fairBinomial } from "./distributions.ts";

/**
 * McNemar's test on discordant pairs, exact and with the mid-p correction, two-sided. Source: McNemar (1947); Fagerland, Lydersen and Laake,
 * "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact conditional", BMC Med. Res. Methodol. 13 (2013).
 */
export function mcNemar(gained: number, lost: number): { readonly exact: number; readonly midP: number } {
  const n = gained + lost;
  const fewer = Math.min(gained, lost);
  let below = 0;
  for (let k = 0; k < fewer; k++) below += fairBinomial(k, n);
  const at = n === 0 ? 1 : fairBinomial(fewer, n);
  return { exact: Math.min(1, 2 * (below + at)), midP: Math.min(1, 2 * below + at) };
}

/** Up to this many tasks with a difference every sign pattern is tried. */
const exactUpTo = 16;
const draws = 10_000;

/**
 * Sign-flip permutation test of a mean difference over tasks, two-sided: exact up to 2^16 patterns, else 10,000 seeded ones with the usual
 * "+1" so that p is never 0. Source: Fisher (1935); Phipson and Smyth, "Permutation p-values should never be zero" (2010).
 */
export function signFlip(differences: readonly number[], seed = 1): number {
  const moving = differences.filter((d) => d !== 0);
  const observed = Math.abs(moving.reduce((sum, d) => sum + d, 0));
  const reaches = (sum: number): boolean => Math.abs(sum) >= observed - 1e-12;
  if (moving.length <= exactUpTo) {
    const patterns = 2 ** moving.length;
    let hits = 0;
    for (let pattern = 0; pattern < patterns; pattern++) {
      const sum = moving.reduce((total, d, i) => total + ((pattern >> i) & 1 ? d : -d), 0);
      if (reaches(sum)) hits++;
    }
    return hits / patterns;
  }
  const random = seededRandom(seed);
  let hits = 0;
  for (let i = 0; i < draws; i++) if (reaches(moving.reduce((sum, d) => sum + (random() < 0.5 ? d : -d), 0))) hits++;
  return (hits + 1) / (draws + 1);
}

/** Holm's step-down adjustment, in the order given. Source: Holm (1979). */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, i) => ({ p, i })).toSorted((x, y) => x.p - y.p);
  const adjusted = Array.from<number>({ length: pValues.length });
  let highest = 0;
  order.forEach(({ p, i }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[i] = highest;
  });
  return adjusted;
}
