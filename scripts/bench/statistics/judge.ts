import { normalCdf, normalQuantile } from "../../../evals/statistics/distributions.ts";
import { mcNemar } from "../../../evals/statistics/mc-nemar.ts";
import { pairedDifference, showsDifference, type PairedDifference } from "../../../evals/statistics/paired-test.ts";
import type { Sample } from "./sample.ts";

/** How trials without a score count: left out, as failures, or for A (passes of A, failures of B) and for B. */
export type Reading = "excluded" | "failed" | "forA" | "forB";

/** The tasks' differences under a reading, and whether each is of one trial an arm. */
function differencesOf(sample: Sample, reading: Reading): { differences: Float64Array; single: boolean } {
  const { tasks, repeats } = sample;
  const differences = new Float64Array(tasks);
  let [n, single] = [0, true];
  for (let i = 0; i < tasks; i++) {
    const [scoredA, scoredB] = [sample.scoredA[i] ?? 0, sample.scoredB[i] ?? 0];
    const [passedA, passedB] = [sample.passedA[i] ?? 0, sample.passedB[i] ?? 0];
    if (reading === "excluded") {
      if (scoredA === 0 || scoredB === 0) continue;
      differences[n++] = passedB / scoredB - passedA / scoredA;
      single &&= scoredA === 1 && scoredB === 1;
    } else {
      const a = passedA + (reading === "forA" ? repeats - scoredA : 0);
      const b = passedB + (reading === "forB" ? repeats - scoredB : 0);
      differences[n++] = (b - a) / repeats;
      single &&= repeats === 1;
    }
  }
  return { differences: differences.subarray(0, n), single };
}

export interface Judgement {
  readonly sign: -1 | 0 | 1;
  /** p that a family of comparisons is adjusted by: the largest of the readings. */
  readonly p: number;
  readonly main: PairedDifference;
}

/** Forge's rule. `against`: a claim must also hold when every lost trial counts for the other side. */
export function judge(sample: Sample, against: boolean, alpha = 0.05): Judgement {
  const read = (reading: Reading): PairedDifference => {
    const { differences, single } = differencesOf(sample, reading);
    return pairedDifference(differences, single);
  };
  const main = read("excluded");
  let lost = 0;
  for (let i = 0; i < sample.tasks; i++) lost += 2 * sample.repeats - (sample.scoredA[i] ?? 0) - (sample.scoredB[i] ?? 0);
  const readings = [main, ...(lost > 0 ? [read("failed")] : [])];
  const shows = (sign: 1 | -1): boolean => {
    const plain = readings.map(({ p, estimate }) => ({ p, interval: estimate }));
    if (!showsDifference(plain, sign, alpha)) return false;
    if (!against || lost === 0) return true;
    const worst = read(sign > 0 ? "forA" : "forB");
    return showsDifference([{ p: worst.p, interval: worst.estimate }], sign, alpha);
  };
  return { sign: shows(1) ? 1 : shows(-1) ? -1 : 0, p: Math.max(...readings.map(({ p }) => p)), main };
}

/** What is done without statistics of clusters: every trial a coin of its own. */
export interface NaiveJudgement {
  /** Two shares of n·K trials, compared by z. */
  readonly z: -1 | 0 | 1;
  /** Its 95 % interval. */
  readonly low: number;
  readonly high: number;
  /** McNemar over n·K pairs of trials, repeat with repeat. */
  readonly pairs: -1 | 0 | 1;
}

const z95 = normalQuantile(0.975);
const midP = new Map<number, number>();
/** The same few pairs come again and again. */
function cachedMidP(gained: number, lost: number): number {
  const key = gained * 4096 + lost;
  const value = midP.get(key) ?? mcNemar(gained, lost).midP;
  midP.set(key, value);
  return value;
}

/** `upTo`: only the first tasks. */
export function judgeNaively(sample: Sample, upTo = sample.tasks): NaiveJudgement {
  let [passedA, passedB, allA, allB, gained, lost] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < upTo; i++) {
    const [a, b, nA, nB] = [sample.passedA[i] ?? 0, sample.passedB[i] ?? 0, sample.scoredA[i] ?? 0, sample.scoredB[i] ?? 0];
    passedA += a;
    passedB += b;
    allA += nA;
    allB += nB;
    gained += sample.gained[i] ?? 0;
    lost += sample.lost[i] ?? 0;
  }
  const [rateA, rateB] = [passedA / allA, passedB / allB];
  const pooled = (passedA + passedB) / (allA + allB);
  const d = rateB - rateA;
  const z = d / Math.sqrt(pooled * (1 - pooled) * (1 / allA + 1 / allB));
  const half = z95 * Math.sqrt((rateA * (1 - rateA)) / allA + (rateB * (1 - rateB)) / allB);
  const significant = 2 * (1 - normalCdf(Math.abs(z))) < 0.05; // NaN, where all passed or none did, is not
  const paired = cachedMidP(gained, lost) < 0.05;
  return { z: significant ? (d > 0 ? 1 : -1) : 0, low: d - half, high: d + half, pairs: paired ? (gained > lost ? 1 : -1) : 0 };
}
