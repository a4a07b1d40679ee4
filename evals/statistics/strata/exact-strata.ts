import { logBinomial } from "../distributions.ts";
import { isInformative, type TwoByTwo } from "./two-by-two.ts";

/** Numbers of failed runs with the feature, over all ways to deal the outcomes again within each stratum. */
export interface Dealt {
  /** The number that was seen, of the informative strata. */
  readonly seen: number;
  /** The smallest possible number, and the chance of it and of each one after it. */
  readonly least: number;
  readonly chances: Float64Array;
}

/**
 * Every permutation of outcomes within strata at once: in a stratum the number is hypergeometric, and the distribution of the sum is added up stratum by
 * stratum. So nothing is drawn, and the order of the strata changes nothing beyond rounding. Sources: Fisher (1934); Gart, "Point and interval estimation of the
 * common odds ratio in the combination of 2 × 2 tables with fixed marginals", Biometrika 57 (1970); Mehta, Patel and Gray, "Computing an exact
 * confidence interval for the common odds ratio in several 2 × 2 contingency tables", JASA 80 (1985).
 */
export function dealAgain(strata: readonly TwoByTwo[]): Dealt {
  let chances = new Float64Array([1]);
  let [seen, least] = [0, 0];
  for (const stratum of strata.filter(isInformative)) {
    const { a, b, c, d } = stratum;
    const lowest = Math.max(0, a - d); // with + failed − n
    const highest = Math.min(a + b, a + c);
    const one = Float64Array.from({ length: highest - lowest + 1 }, (_, i) => hypergeometric(lowest + i, stratum));
    const next = new Float64Array(chances.length + one.length - 1);
    for (const [i, chance] of chances.entries()) for (const [j, own] of one.entries()) next[i + j] = (next[i + j] ?? 0) + chance * own;
    chances = next;
    seen += a;
    least += lowest;
  }
  return { seen, least, chances };
}

const hypergeometric = (k: number, { a, b, c, d }: TwoByTwo): number =>
  Math.exp(logBinomial(a + b, k) + logBinomial(c + d, a + c - k) - logBinomial(a + b + c + d, a + c));

/** Below this a chance is lost to rounding: a p is never 0. */
const leastP = 1e-300;

/** Exact, two-sided: the chance of numbers that are no likelier than the one seen, as Fisher's test of one table. 1 where no stratum is informative. */
export function exactP({ seen, least, chances }: Dealt): number {
  const own = (chances[seen - least] ?? 0) * (1 + 1e-7);
  return Math.min(
    1,
    Math.max(
      leastP,
      chances.reduce((sum, chance) => (chance <= own ? sum + chance : sum), 0),
    ),
  );
}

/**
 * Exact interval of the common odds ratio: all ratios under which the number seen has a chance of more than α/2 to either side, P_ψ(T = t) ∝ P(T = t)·ψ^t.
 * 0 and ∞ where the number seen is the smallest or the largest there can be.
 */
export function exactInterval({ seen, least, chances }: Dealt, alpha = 0.05): { readonly low: number; readonly high: number } {
  const at = seen - least;
  const logs = chances.map((chance) => Math.log(Math.max(Number.MIN_VALUE, chance)));
  const atLeast = (logRatio: number): number => tail(logs, logRatio, at, logs.length - 1);
  const atMost = (logRatio: number): number => tail(logs, logRatio, 0, at);
  return {
    low: at === 0 ? 0 : Math.exp(crossing((x) => atLeast(x) > alpha / 2)),
    high: at === chances.length - 1 ? Infinity : Math.exp(crossing((x) => atMost(x) <= alpha / 2)),
  };
}

/** The share of the tilted distribution from one index to another. */
function tail(logs: Float64Array, logRatio: number, from: number, to: number): number {
  const most = logs.reduce((highest, log, i) => Math.max(highest, log + i * logRatio), -Infinity);
  let [all, part] = [0, 0];
  for (const [i, log] of logs.entries()) {
    const weight = Math.exp(log + i * logRatio - most);
    all += weight;
    if (i >= from && i <= to) part += weight;
  }
  return part / all;
}

/** Where a condition that is false far below and true far above begins to hold. */
function crossing(holds: (logRatio: number) => boolean): number {
  let [low, high] = [-50, 50];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
