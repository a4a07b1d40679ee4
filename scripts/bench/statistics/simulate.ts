import { fewest } from "../../../evals/statistics/family-means.ts";
import { capital, placeBets, startBets } from "../../../evals/statistics/e-process.ts";
import { followPairs, type TaskPair } from "../../../evals/statistics/follow-pairs.ts";
import { holm } from "../../../evals/statistics/holm.ts";
import { detectableWith } from "../../../evals/statistics/power.ts";
import { thisSuite } from "../../../evals/statistics/this-suite.ts";
import { judge, judgeNaively } from "./judge.ts";
import type { OutcomeRates } from "./outcome-rates.ts";
import { drawSample, emptySample, type Conditions, type Sample } from "./sample.ts";
import { drawTruth, type Truth, type TruthKind } from "./truth.ts";

/** One question to the methods: what is true, under which conditions it is measured, on how many tasks and repeats. */
export interface Scenario {
  readonly truth: TruthKind;
  readonly tasks: number;
  readonly repeats: number;
  readonly conditions?: Conditions;
  /** `early`: a look after every task from the 15th on. `reused`: 20 arms, one after the other, against one baseline on one suite. */
  readonly way?: "once" | "early" | "reused";
  /** Of `early`: the tasks that favour B most come first, as no drawn order has them; a suite sorted by family may. */
  readonly bestFirst?: boolean;
  /** A claim must also hold when every lost trial counts for the other side. */
  readonly against?: boolean;
  /** Mean difference of `lifted` and `towards`; `announced`: the smallest that planning says can be seen. */
  readonly points?: number | "announced";
}

/** Shares of the simulations. Where nothing is different, `better` and `worse` are false. */
export interface Result {
  readonly simulations: number;
  readonly better: number;
  readonly worse: number;
  /** How often the 95 % interval held the true difference of new tasks, and of these tasks; null where there is none. */
  readonly coverage: number;
  readonly coverageSuite: number | null;
  /** The share of the planned tasks that was run. */
  readonly spent: number;
  /** At least one verdict in a family of 20, as made, and with Holm over the family. */
  readonly family: number | null;
  readonly familyHolm: number | null;
  readonly naive: {
    readonly better: number;
    readonly worse: number;
    readonly pairs: number;
    readonly coverage: number;
    readonly family: number | null;
  };
}

const familySize = 20;

/** Runs a scenario `simulations` times; the same numbers for the same random source. */
export function simulate(scenario: Scenario, rates: OutcomeRates, simulations: number, random: () => number): Result {
  const { tasks, repeats, way = "once", conditions = {}, against = false } = scenario;
  const sample = emptySample(tasks, repeats);
  const total = {
    better: 0,
    worse: 0,
    held: 0,
    heldSuite: 0,
    suites: 0,
    spent: 0,
    z: [0, 0],
    pairs: 0,
    zHeld: 0,
    family: 0,
    familyHolm: 0,
    zFamily: 0,
  };
  const rounds = way === "reused" ? Math.ceil(simulations / familySize) : simulations;
  let done = 0;
  for (let round = 0; round < rounds; round++) {
    const arms = way === "reused" ? familySize : 1;
    const base = truthOf(scenario, rates, random);
    const signs: number[] = [];
    const ps: number[] = [];
    let zs = 0;
    for (let arm = 0; arm < arms; arm++) {
      const truth = arm === 0 ? base : drawTruth(arm % 2 === 0 ? "same" : "unlike", rates, random, { beside: base.a });
      drawSample(sample, truth, random, { ...conditions, keepTasks: arm > 0, keepA: arm > 0 });
      const seen = way === "early" ? watch(sample, truth, scenario.bestFirst ?? false) : look(sample, truth, against);
      const naive = way === "early" ? watchNaively(sample, truth) : { ...judgeNaively(sample), held: undefined };
      done++;
      if (seen.sign > 0) total.better++;
      if (seen.sign < 0) total.worse++;
      if (seen.held) total.held++;
      if (seen.heldSuite !== null) {
        total.suites++;
        if (seen.heldSuite) total.heldSuite++;
      }
      total.spent += seen.spent;
      if (naive.z > 0) total.z[0] = (total.z[0] ?? 0) + 1;
      if (naive.z < 0) total.z[1] = (total.z[1] ?? 0) + 1;
      if (naive.pairs !== 0) total.pairs++;
      if (naive.held ?? (naive.low <= truth.difference && truth.difference <= naive.high)) total.zHeld++;
      signs.push(seen.sign);
      ps.push(seen.p);
      zs += Math.abs(naive.z);
    }
    if (way === "reused") {
      const adjusted = holm(ps);
      if (signs.some((sign) => sign !== 0)) total.family++;
      if (signs.some((sign, i) => sign !== 0 && (adjusted[i] ?? 1) < 0.05)) total.familyHolm++;
      if (zs > 0) total.zFamily++;
    }
  }
  const family = (count: number): number | null => (way === "reused" ? count / rounds : null);
  return {
    simulations: done,
    better: total.better / done,
    worse: total.worse / done,
    coverage: total.held / done,
    coverageSuite: total.suites > 0 ? total.heldSuite / total.suites : null,
    spent: total.spent / done,
    family: family(total.family),
    familyHolm: family(total.familyHolm),
    naive: {
      better: (total.z[0] ?? 0) / done,
      worse: (total.z[1] ?? 0) / done,
      pairs: total.pairs / done,
      coverage: total.zHeld / done,
      family: family(total.zFamily),
    },
  };
}

function truthOf({ truth, points, tasks, repeats }: Scenario, rates: OutcomeRates, random: () => number): Truth {
  if (points !== "announced") return drawTruth(truth, rates, random, points === undefined ? {} : { points });
  // What can be seen depends on what is true, and the other way round: a few steps settle it.
  const seed = Math.floor(random() * 2 ** 32);
  let size = 0.15;
  for (let step = 0; step < 6; step++) size = announced(lift(rates, seed, size), tasks, repeats);
  return lift(rates, seed, size);
}

const lift = (rates: OutcomeRates, seed: number, size: number): Truth => drawTruth("lifted", rates, () => seed / 2 ** 32, { points: size });

/** The smallest difference that planning says n × K can see, from the true variances. */
function announced({ a, b, difference }: Truth, tasks: number, repeats: number): number {
  const average = (of: (i: number) => number): number => a.reduce((sum, _, i) => sum + of(i), 0) / a.length;
  const within = (x: Float64Array): number => average((i) => (x[i] ?? 0) * (1 - (x[i] ?? 0)));
  const between = average((i) => ((b[i] ?? 0) - (a[i] ?? 0) - difference) ** 2);
  return detectableWith({ tasks, repeats }, { between, withinA: within(a), withinB: within(b) });
}

interface Seen {
  readonly sign: -1 | 0 | 1;
  readonly p: number;
  readonly held: boolean;
  readonly heldSuite: boolean | null;
  readonly spent: number;
}

function look(sample: Sample, truth: Truth, against: boolean): Seen {
  const { sign, p, main } = judge(sample, against);
  const { low, high } = main.estimate;
  return { sign, p, held: low <= truth.difference && truth.difference <= high, heldSuite: suiteHeld(sample, truth), spent: 1 };
}

/** The interval on these tasks against the difference of exactly these. */
function suiteHeld(sample: Sample, { a, b }: Truth): boolean | null {
  const { tasks, repeats } = sample;
  if (repeats < 3) return null;
  const scores = (passed: number, scored: number): number[] => Array.from({ length: scored }, (_, i) => (i < passed ? 1 : 0));
  const cells = Array.from({ length: tasks }, (_, i) => ({
    a: scores(sample.passedA[i] ?? 0, sample.scoredA[i] ?? 0),
    b: scores(sample.passedB[i] ?? 0, sample.scoredB[i] ?? 0),
  }));
  if (cells.some((cell) => cell.a.length < 3 || cell.b.length < 3)) return null;
  const { low, high } = thisSuite(cells);
  const true_ = sample.drawn.reduce((sum, task) => sum + (b[task] ?? 0) - (a[task] ?? 0), 0) / tasks;
  return low <= true_ + 1e-12 && true_ - 1e-12 <= high;
}

/** Looks after every task by the code that stops a job (`forge bench --until-decided`); what bets against the truth say tells whether the interval held it. */
function watch(sample: Sample, truth: Truth, bestFirst: boolean): Seen {
  const favour = (i: number): number => (truth.b[sample.drawn[i] ?? 0] ?? 0) - (truth.a[sample.drawn[i] ?? 0] ?? 0);
  const order = Array.from({ length: sample.tasks }, (_, i) => i);
  if (bestFirst) order.sort((x, y) => favour(y) - favour(x));
  const follower = followPairs(1, { alpha: 0.05, firstLook: fewest.tasks });
  const right = startBets(truth.difference);
  for (const [n, i] of order.entries()) {
    const task = taskPair(sample, i);
    if (task.excluded !== null) placeBets(right, task.excluded);
    const [decision] = follower.look([task]);
    if (decision)
      return { sign: decision.sign, p: 1 / decision.eValue, held: capital(right) < 20, heldSuite: null, spent: (n + 1) / sample.tasks };
  }
  return { sign: 0, p: 1, held: capital(right) < 20, heldSuite: null, spent: 1 };
}

/** What one task of the sample says. */
function taskPair({ repeats, passedA, passedB, scoredA, scoredB }: Sample, i: number): TaskPair {
  const [a, b, nA, nB] = [passedA[i] ?? 0, passedB[i] ?? 0, scoredA[i] ?? 0, scoredB[i] ?? 0];
  return {
    excluded: nA > 0 && nB > 0 ? b / nB - a / nA : null,
    failed: (b - a) / repeats,
    forA: (b - a - (repeats - nA)) / repeats,
    forB: (b + (repeats - nB) - a) / repeats,
  };
}

/** The same looks with the trial-level tests: stops at the first that says yes. */
function watchNaively(sample: Sample, truth: Truth): { z: -1 | 0 | 1; pairs: -1 | 0 | 1; low: number; high: number; held: boolean } {
  let z: -1 | 0 | 1 = 0;
  let pairs: -1 | 0 | 1 = 0;
  let at = judgeNaively(sample);
  for (let n = fewest.tasks; n <= sample.tasks && (z === 0 || pairs === 0); n++) {
    const seen = judgeNaively(sample, n);
    if (z === 0 && seen.z !== 0) [z, at] = [seen.z, seen];
    if (pairs === 0) pairs = seen.pairs;
  }
  return { z, pairs, low: at.low, high: at.high, held: at.low <= truth.difference && truth.difference <= at.high };
}
