/**
 * Testing while the results come in. A bet on each task's difference d ∈ [−1, 1] against "its mean is m": capital ∏(1 + λ(d − m)), averaged over
 * all stakes λ that cannot go broke, with the arcsine weight. For pass or fail and m = 0 that is 2^(b+c)·B(½+b, ½+c)/B(½, ½) of b gains and c
 * losses. Whatever the rule of stopping, capital reaches 1/α with probability at most α (Ville), so looking after every task costs nothing.
 * Sources: Ville (1939); Robbins (1970); Cover, "Universal portfolios" (1991); Waudby-Smith and Ramdas, "Estimating means of bounded random
 * variables by betting", JRSS B 86 (2024).
 */
export interface Bets {
  /** Mean under the hypothesis. */
  readonly mean: number;
  /** Stakes, and the logarithm of each one's capital. */
  readonly stakes: Float64Array;
  readonly logCapital: Float64Array;
}

/**
 * Before the first task; −1 < mean < 1. The average over stakes is Gauss–Chebyshev quadrature, which is exact for up to 2·nodes − 1 tasks and good far beyond:
 * between nodes the capital is smooth.
 */
export function startBets(mean: number, nodes = 64): Bets {
  const lowest = -1 / (1 - mean);
  const highest = 1 / (1 + mean);
  const stakes = Float64Array.from({ length: nodes }, (_, j) => {
    const share = (1 + Math.cos(((2 * j + 1) * Math.PI) / (2 * nodes))) / 2;
    return lowest + share * (highest - lowest);
  });
  return { mean, stakes, logCapital: new Float64Array(nodes) };
}

/** One task more, in place. `times`: as often as it came. */
export function placeBets(bets: Bets, difference: number, times = 1): void {
  const { stakes, logCapital } = bets;
  for (let j = 0; j < stakes.length; j++)
    logCapital[j] = (logCapital[j] ?? 0) + times * Math.log1p((stakes[j] ?? 0) * (difference - bets.mean));
}

/** The average capital: the e-value. It may be infinite. */
export function capital({ logCapital }: Bets): number {
  const most = logCapital.reduce((a, b) => Math.max(a, b), -Infinity);
  return (Math.exp(most) * logCapital.reduce((sum, log) => sum + Math.exp(log - most), 0)) / logCapital.length;
}

/** The e-value against "no difference" after these tasks. Against a mean other than 0: `mean`. */
export function eValue(differences: ArrayLike<number>, mean = 0): number {
  const counts = countsOf(differences);
  const bets = startBets(mean, nodesFor(differences.length));
  for (const [difference, times] of counts) placeBets(bets, difference, times);
  return capital(bets);
}

/**
 * The anytime-valid interval of the mean difference: all means against which the capital is under 1/α. It covers whenever one looks, and it holds 0
 * exactly when the e-value against 0 is under 1/α. Steps of 0.001, rounded outward.
 */
export function anytimeInterval(differences: ArrayLike<number>, alpha = 0.05): { readonly low: number; readonly high: number } {
  const n = differences.length;
  if (n === 0) return { low: -1, high: 1 };
  const counts = countsOf(differences);
  const nodes = nodesFor(n);
  const held = (mean: number): boolean => {
    const bets = startBets(mean, nodes);
    for (const [difference, times] of counts) placeBets(bets, difference, times);
    return capital(bets) < 1 / alpha;
  };
  const average = Array.from(differences).reduce((sum, d) => sum + d, 0) / n;
  return { low: edge(average, -1, held), high: edge(average, 1, held) };
}

/** From the average, which is always held, to the last mean that is; the capital grows with the distance. A mean of ±1 is held by ±1 alone. */
function edge(average: number, end: -1 | 1, held: (mean: number) => boolean): number {
  if (average === end) return end;
  // 0 is tried by itself, so that the interval and the e-value never disagree.
  const zeroBetween = Math.sign(average) === -end && average !== 0;
  let [inside, outside] = [average, end as number];
  if (zeroBetween) [inside, outside] = held(0) ? [0, outside] : [inside, 0];
  while (Math.abs(outside - inside) > 1e-4) {
    const middle = (inside + outside) / 2;
    if (held(middle)) inside = middle;
    else outside = middle;
  }
  return outside === 0 && zeroBetween && !held(0) ? -end * Number.MIN_VALUE : outside; // 0 itself is not held
}

function countsOf(differences: ArrayLike<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const d of Array.from(differences)) counts.set(d, (counts.get(d) ?? 0) + 1);
  return counts;
}

const nodesFor = (n: number): number => Math.min(512, Math.max(16, Math.ceil((n + 1) / 2)));
