import { seededRandom } from "../../harness/seeded-random.ts";
import { normalCdf } from "./distributions.ts";

/** Up to this many units with a difference every sign pattern is tried. */
const exactUpTo = 16;
const draws = 10_000;
/** Common denominators looked for: equal repeats up to 60, and two or three that fit together. */
const denominators = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 60];
/** Steps of adding up a distribution before it takes longer than it is worth: 89 tasks of five repeats take 40,000. */
const mostSteps = 20_000_000;
/** From so many units on the sum is normal to the fourth digit, and drawing patterns would only be slower. */
const normalFrom = 2000;
/** Two sums closer than this are one: additions in another order differ in their last digits. */
const tie = 1e-9;

export interface SignFlip {
  /** Two-sided, mid-p: patterns that come to the very sum seen count half. */
  readonly p: number;
  /** `exact`: over all 2^n patterns. `sampled`: over 10,000 seeded ones. `normal`: by the sum's variance, for thousands of units. */
  readonly method: "exact" | "sampled" | "normal";
}

/**
 * Sign-flip permutation test of a mean difference over units (tasks, or families), two-sided, with mid-p as McNemar's test beside it has. Exact up to 2^16
 * patterns by trying each; beyond, exact too where the differences have a common denominator (equal repeats, pass or fail), by adding up the distribution
 * of the sum unit by unit; else 10,000 seeded patterns with the usual "+1", so that p is never 0; for thousands of units the normal distribution that the sum
 * then has. The order of the differences changes nothing. Flipping signs leaves Σd² as it is, so the test on the mean and the test on Student's t are one,
 * which keeps its level where differences have mean 0 but no symmetry (large n).
 * Sources: Fisher (1935); Lancaster, "Significance tests in discrete distributions", JASA 56 (1961), mid-p; Streitberg and Röhmel, "Exact distributions for
 * permutation and rank tests" (1986); Phipson and Smyth, "Permutation p-values should never be zero" (2010); Janssen, "Studentized permutation tests for
 * non-i.i.d. hypotheses" (1997).
 */
export function signFlip(differences: ArrayLike<number>, seed = 1): SignFlip {
  const moving = Float64Array.from(differences)
    .filter((d) => Math.abs(d) > tie)
    .sort();
  const whole = asWhole(moving);
  if (whole) return { p: bySums(whole), method: "exact" };
  const observed = Math.abs(moving.reduce((sum, d) => sum + d, 0));
  if (moving.length <= exactUpTo) return { p: byPatterns(moving, observed), method: "exact" };
  if (moving.length >= normalFrom) {
    const spread = Math.sqrt(moving.reduce((sum, d) => sum + d * d, 0));
    return { p: Math.max(1e-15, 2 * (1 - normalCdf(observed / spread))), method: "normal" };
  }
  const random = seededRandom(seed);
  let hits = 0;
  for (let i = 0; i < draws; i++)
    hits += weightOf(
      moving.reduce((sum, d) => sum + (random() < 0.5 ? d : -d), 0),
      observed,
    );
  return { p: Math.min(1, (hits + 1) / (draws + 1)), method: "sampled" };
}

/** What a pattern counts: 1 where its sum is beyond the one seen, ½ where it is the same. */
const weightOf = (sum: number, observed: number): number => {
  const beyond = Math.abs(sum) - observed;
  return beyond > tie ? 1 : beyond >= -tie ? 0.5 : 0;
};

/** All patterns, each one sign away from the one before (Gray's code); a pattern and its mirror come to the same, so half of them do. */
function byPatterns(moving: Float64Array, observed: number): number {
  if (observed <= tie) return 1;
  const signs = Int8Array.from(moving, () => 1);
  let sum = moving.reduce((total, d) => total + d, 0);
  const patterns = 2 ** (moving.length - 1);
  let hits = weightOf(sum, observed);
  for (let i = 1; i < patterns; i++) {
    const at = 31 - Math.clz32(i & -i);
    signs[at] = -(signs[at] ?? 1);
    sum += 2 * (signs[at] ?? 1) * (moving[at] ?? 0);
    hits += weightOf(sum, observed);
  }
  return hits / patterns;
}

/** The differences as whole multiples of their common denominator; undefined where there is none that is small. */
function asWhole(moving: Float64Array): Int32Array | undefined {
  for (const denominator of denominators) {
    let sum = 0;
    const fits = moving.every((d) => {
      const scaled = d * denominator;
      sum += Math.abs(scaled);
      return Math.abs(scaled - Math.round(scaled)) < tie;
    });
    if (fits) return sum * moving.length <= mostSteps ? Int32Array.from(moving, (d) => Math.round(d * denominator)) : undefined;
  }
  return undefined;
}

/** P(|±d₁ ± … ± dₙ| > |Σd|) + ½·P(… = |Σd|), by the distribution of the sum. */
function bySums(whole: Int32Array): number {
  const reach = whole.reduce((sum, d) => sum + Math.abs(d), 0);
  const observed = Math.abs(whole.reduce((sum, d) => sum + d, 0));
  if (observed === 0) return 1;
  // The number that got a plus, weighted: W = Σ over them of |d|; the sum is 2W − reach.
  let chances = new Float64Array(reach + 1);
  let next = new Float64Array(reach + 1);
  chances[0] = 1;
  let upTo = 0;
  for (const d of whole) {
    const step = Math.abs(d);
    next.fill(0, 0, upTo + step + 1);
    for (let w = 0; w <= upTo; w++) {
      const half = (chances[w] ?? 0) / 2;
      next[w] = (next[w] ?? 0) + half;
      next[w + step] = (next[w + step] ?? 0) + half;
    }
    upTo += step;
    [chances, next] = [next, chances];
  }
  let p = 0;
  for (let w = 0; w <= reach; w++) {
    const sum = Math.abs(2 * w - reach);
    if (sum >= observed) p += (sum === observed ? 0.5 : 1) * (chances[w] ?? 0);
  }
  return Math.min(1, p);
}
