import { normalQuantile } from "../../evals/statistics/distributions.ts";
import { seededRandom } from "../../harness/seeded-random.ts";

/** What the contrast reads of a run. */
export interface ContrastRow {
  readonly run: string;
  readonly task: string;
  readonly family: string;
  readonly configuration: string;
  readonly passed: boolean;
  /** Names of the features that it shows. */
  readonly features: readonly string[];
}

export interface Contrast {
  readonly feature: string;
  /** Over all runs of the configurations that show it. */
  readonly withIt: { readonly passed: number; readonly failed: number };
  readonly without: { readonly passed: number; readonly failed: number };
  /** Of failing, with the feature against without it, within task and configuration (Mantel–Haenszel), with its 95 % interval; null where no stratum tells. */
  readonly oddsRatio: { readonly value: number; readonly low: number; readonly high: number } | null;
  /** By permuting outcomes within strata, one-sided. */
  readonly p: number;
  /** Benjamini–Hochberg over the features. */
  readonly q: number;
  /** With both kinds of runs and both outcomes. */
  readonly informativeTasks: number;
  readonly informativeFamilies: number;
  /** Enough tasks and families, more failures, and a false-discovery rate of at most 5 %. */
  readonly shown: boolean;
}

const leastTasks = 5;
const leastFamilies = 3;
const rounds = 2_000;
const level = 0.05;

interface Stratum {
  readonly task: string;
  readonly family: string;
  /** Failed with the feature, passed with it, failed without, passed without. */
  a: number;
  b: number;
  c: number;
  d: number;
}

/** Compares runs of the same task and configuration that show a feature with those that do not. */
export function contrast(rows: readonly ContrastRow[], names: readonly string[]): Contrast[] {
  const tested = names.map((feature) => test(rows, feature));
  const q = benjaminiHochberg(tested.map(({ p }) => p));
  return tested.map((one, i) => {
    const enough = one.informativeTasks >= leastTasks && one.informativeFamilies >= leastFamilies;
    return { ...one, q: q[i] ?? 1, shown: enough && (one.oddsRatio?.value ?? 0) > 1 && (q[i] ?? 1) <= level };
  });
}

function test(rows: readonly ContrastRow[], feature: string): Omit<Contrast, "q" | "shown"> {
  const strata = new Map<string, Stratum>();
  for (const row of rows) {
    const key = JSON.stringify([row.task, row.configuration]);
    const one = strata.get(key) ?? { task: row.task, family: row.family, a: 0, b: 0, c: 0, d: 0 };
    strata.set(key, one);
    if (row.features.includes(feature)) one[row.passed ? "b" : "a"]++;
    else one[row.passed ? "d" : "c"]++;
  }
  const all = [...strata.values()];
  const telling = all.filter(({ a, b, c, d }) => a + b > 0 && c + d > 0 && a + c > 0 && b + d > 0);
  const shown = new Set(rows.filter((row) => row.features.includes(feature)).map(({ configuration }) => configuration));
  const counted = rows.filter(({ configuration }) => shown.has(configuration));
  const tally = (has: boolean): Contrast["withIt"] => {
    const own = counted.filter((row) => row.features.includes(feature) === has);
    const passed = own.filter((row) => row.passed).length;
    return { passed, failed: own.length - passed };
  };
  return {
    feature,
    withIt: tally(true),
    without: tally(false),
    oddsRatio: mantelHaenszel(telling),
    p: permuted(telling),
    informativeTasks: new Set(telling.map(({ task }) => task)).size,
    informativeFamilies: new Set(telling.map(({ family }) => family)).size,
  };
}

/** Source: Mantel & Haenszel (1959); variance: Robins, Breslow & Greenland, Biometrics 42 (1986). Half a run is added to each cell where one is empty in all. */
function mantelHaenszel(strata: readonly Stratum[]): Contrast["oddsRatio"] {
  if (strata.length === 0) return null;
  const empty = (["a", "b", "c", "d"] as const).some((cell) => strata.every((stratum) => stratum[cell] === 0));
  const add = empty ? 0.5 : 0;
  let [r, s, pr, psqr, qs] = [0, 0, 0, 0, 0];
  for (const stratum of strata) {
    const [a, b, c, d] = [stratum.a + add, stratum.b + add, stratum.c + add, stratum.d + add];
    const n = a + b + c + d;
    const [ri, si, p, q] = [(a * d) / n, (b * c) / n, (a + d) / n, (b + c) / n];
    r += ri;
    s += si;
    pr += p * ri;
    psqr += p * si + q * ri;
    qs += q * si;
  }
  if (r === 0 || s === 0) return { value: r === 0 ? 0 : Infinity, low: 0, high: Infinity };
  const half = normalQuantile(0.975) * Math.sqrt(pr / (2 * r * r) + psqr / (2 * r * s) + qs / (2 * s * s));
  const value = r / s;
  return { value, low: value * Math.exp(-half), high: value * Math.exp(half) };
}

/** The share of shuffles within strata with at least as many failures among the runs that show the feature. Seeded: the same rows give the same. */
function permuted(strata: readonly Stratum[]): number {
  if (strata.length === 0) return 1;
  const seen = strata.reduce((sum, { a }) => sum + a, 0);
  const random = seededRandom(20_261_124);
  let least = 1;
  for (let round = 0; round < rounds; round++) {
    let failed = 0;
    for (const { a, b, c, d } of strata) {
      let [left, of] = [a + c, a + b + c + d];
      for (let i = 0; i < a + b; i++, of--)
        if (random() * of < left) {
          failed++;
          left--;
        }
    }
    if (failed >= seen) least++;
  }
  return least / (rounds + 1);
}

/** Source: Benjamini & Hochberg, JRSS B 57 (1995). In the order given. */
function benjaminiHochberg(pValues: readonly number[]): number[] {
  const order = pValues.map((p, i) => ({ p, i })).toSorted((x, y) => y.p - x.p);
  const adjusted = Array.from<number>({ length: pValues.length });
  let lowest = 1;
  order.forEach(({ p, i }, rank) => {
    lowest = Math.min(lowest, (p * pValues.length) / (pValues.length - rank));
    adjusted[i] = lowest;
  });
  return adjusted;
}
