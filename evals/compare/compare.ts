import { wilson, tInterval, type Estimate } from "../statistics/interval.ts";
import { holm } from "../statistics/holm.ts";
import type { TrialRecord } from "../trial-record.ts";
import { armsOf, baselineOf, scoresOf, type Arm } from "./arm.ts";
import { notComparable } from "./comparable.ts";
import { compareArms, type Difference } from "./compare-arms.ts";
import type { FinishedJob } from "./load-job.ts";
import { decide, type Verdict } from "./verdict.ts";

export interface ArmSummary {
  readonly name: string;
  readonly harnessHash: string;
  readonly model: string;
  readonly simulated: boolean;
  readonly tasks: number;
  readonly trials: number;
  readonly passed: number;
  readonly unscored: number;
  readonly countedOnce: number;
  readonly rate: Estimate;
  readonly tokens: { readonly in: number; readonly out: number; readonly cached: number };
  readonly costUsd: number | null;
  /** Nobody was charged: the cost is made up. */
  readonly costSimulated: boolean;
  readonly activeMs: number;
  readonly turns: number;
  readonly interventions: number;
}

export interface PairComparison {
  readonly a: string;
  readonly b: string;
  /** `model and harness`: the arms' models differ, so the difference is not the harness's alone. */
  readonly of: "harness" | "model and harness";
  readonly verdict: Verdict;
  /** Trials without a score left out, then counted as failures; p adjusted by Holm over all pairs. */
  readonly readings: readonly (Difference & { readonly adjustedP: number })[];
  /** Tasks that only one arm has a score for. */
  readonly leftOut: readonly string[];
}

export interface Comparison {
  readonly jobs: readonly string[];
  readonly suite: string;
  readonly simulated: boolean;
  readonly arms: readonly ArmSummary[];
  readonly pairs: readonly PairComparison[];
  /** Set when the arms measure different things; there are no pairs then. */
  readonly notComparable?: string;
}

/** Compares every configuration with the baseline (the first one asked for), or all pairs where there are three or more. */
export function compare(jobs: readonly FinishedJob[], o: { baseline?: string | undefined } = {}): Comparison {
  const reason = notComparable(jobs);
  const arms = armsOf(jobs, { pool: reason === undefined });
  const baseline = baselineOf(arms, o.baseline);
  const head = {
    jobs: jobs.map((job) => job.folder),
    suite: jobs[0]?.lock.suite.name ?? "",
    simulated: arms.some((arm) => arm.simulated),
    arms: arms.map(summarize),
  };
  if (reason !== undefined) return { ...head, pairs: [], notComparable: reason };
  const pairs = pairsOf(arms, baseline, o.baseline !== undefined);
  const both = (["excluded", "failed"] as const).map((reading) => {
    const differences = pairs.map(([a, b]) => compareArms(a, b, reading));
    const adjusted = holm(differences.map((difference) => difference.p));
    return differences.map((difference, i) => ({ ...difference, adjustedP: adjusted[i] ?? 1 }));
  });
  if (pairs.length > 0 && both[0]?.every((difference) => difference.tasks === 0))
    return { ...head, pairs: [], notComparable: "the configurations have no task in common that both have a score for" };
  return {
    ...head,
    pairs: pairs.map(([a, b], i): PairComparison => {
      const readings = both.flatMap((reading) => reading[i] ?? []);
      const compared = new Set(readings[0]?.flips.map((flip) => flip.task));
      return {
        a: a.name,
        b: b.name,
        of: a.model === b.model ? "harness" : "model and harness",
        verdict: decide({ a: a.name, b: b.name, readings, simulated: a.simulated || b.simulated }),
        readings,
        leftOut: [...new Set([...a.tasks.keys(), ...b.tasks.keys()])].filter((task) => !compared.has(task)),
      };
    }),
  };
}

function pairsOf(arms: readonly Arm[], baseline: Arm, named: boolean): [Arm, Arm][] {
  if (named || arms.length === 2) return arms.filter((arm) => arm !== baseline).map((arm) => [baseline, arm]);
  return arms.flatMap((a, i) => arms.slice(i + 1).map((b): [Arm, Arm] => [a, b]));
}

function summarize(arm: Arm): ArmSummary {
  const records = [...arm.tasks.values()].flat();
  const sum = (of: (record: TrialRecord) => number): number => records.reduce((total, record) => total + of(record), 0);
  const cells = [...arm.tasks.values()].map((cell) => scoresOf(cell, "excluded")).filter((scores) => scores.length > 0);
  const single = cells.every((scores) => scores.length === 1 && (scores[0] === 0 || scores[0] === 1));
  const means = cells.map((scores) => scores.reduce((total, score) => total + score, 0) / scores.length);
  const passedTasks = means.filter((value) => value === 1).length;
  return {
    name: arm.name,
    harnessHash: arm.harnessHash,
    model: arm.model,
    simulated: arm.simulated,
    tasks: arm.tasks.size,
    trials: records.length,
    passed: sum(({ passed }) => (passed ? 1 : 0)),
    unscored: sum(({ passed }) => (passed === null ? 1 : 0)),
    countedOnce: arm.countedOnce,
    rate: single && cells.length > 0 ? wilson(passedTasks, cells.length) : tInterval(means),
    tokens: { in: sum((r) => r.tokens.in), out: sum((r) => r.tokens.out), cached: sum((r) => r.tokens.cached) },
    costUsd: records.some(({ costUsd }) => costUsd === null) ? null : sum(({ costUsd }) => costUsd ?? 0),
    costSimulated: arm.simulated,
    activeMs: sum(({ activeMs }) => activeMs),
    turns: sum(({ turns }) => turns),
    interventions: sum(({ interventions }) => interventions),
  };
}
