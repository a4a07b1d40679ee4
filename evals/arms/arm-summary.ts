import { tInterval, wilson, type Estimate } from "../statistics/interval.ts";
import { mean } from "../statistics/moments.ts";
import { passCurve, type PassPoint } from "../statistics/pass-curve.ts";
import { isOneObservation, observationsOf, scoresOf, type AnyArm, type MeasuredTrial } from "./arm.ts";

/** One arm by itself. */
export interface ArmSummary {
  readonly name: string;
  readonly configuration: string;
  /** Of harness, model and Forge's version. */
  readonly identity: string;
  readonly harnessHash: string;
  readonly model: string;
  readonly simulated: boolean;
  readonly tasks: number;
  readonly trials: number;
  readonly passed: number;
  readonly unscored: number;
  readonly countedOnce: number;
  /** Tasks whose repeats all gave exactly the same replies and count as one trial. */
  readonly collapsed: number;
  /** Mean over tasks, trials without a score left out; and with them as failures, where there are any. */
  readonly rate: Estimate;
  readonly rateWithFailures: Estimate | null;
  /** Mean over the tasks with k scored trials or more; null where k would be 1, no task has as many, or repeats of some are one observation. */
  readonly passAtK: { readonly k: number; readonly any: number; readonly all: number; readonly tasks: number } | null;
  /** The runner: `Forge`, `Harbor`. */
  readonly measuredBy: string;
  /** Each sum is null where one trial does not say. */
  readonly tokens: { readonly in: number | null; readonly out: number | null; readonly cached: number | null };
  readonly costUsd: number | null;
  /** Nobody was charged: the cost is made up. */
  readonly costSimulated: boolean;
  readonly activeMs: number | null;
  readonly turns: number | null;
  readonly interventions: number | null;
}

export function summarizeArm(arm: AnyArm): ArmSummary {
  const cells = [...arm.tasks.values()];
  const records = cells.flat().map(({ record }) => record);
  const sum = (of: (record: MeasuredTrial) => number): number => records.reduce((total, record) => total + of(record), 0);
  const sumOfAll = (of: (record: MeasuredTrial) => number | null): number | null =>
    records.reduce<number | null>((total, record) => {
      const value = of(record);
      return total === null || value === null ? null : total + value;
    }, 0);
  const unscored = sum(({ score }) => (score === null ? 1 : 0));
  const rated = (lost?: number): Estimate => rateOf(cells.map((cell) => scoresOf(cell, lost)).filter((scores) => scores.length > 0));
  return {
    name: arm.name,
    configuration: arm.configuration,
    identity: `${arm.harnessHash} ${arm.modelHash} ${arm.forgeVersion}`,
    harnessHash: arm.harnessHash,
    model: arm.model,
    simulated: arm.simulated,
    tasks: arm.tasks.size,
    trials: records.length,
    passed: sum(({ passed }) => (passed ? 1 : 0)),
    unscored,
    countedOnce: arm.countedOnce,
    collapsed: cells.filter(isOneObservation).length,
    rate: rated(),
    rateWithFailures: unscored > 0 ? rated(0) : null,
    passAtK: overRepeats(passCurveOf(arm)),
    measuredBy: arm.measuredBy,
    tokens: { in: sumOfAll((r) => r.tokens.in), out: sumOfAll((r) => r.tokens.out), cached: sumOfAll((r) => r.tokens.cached) },
    costUsd: sumOfAll(({ costUsd }) => costUsd),
    costSimulated: arm.simulated,
    activeMs: sumOfAll(({ activeMs }) => activeMs),
    turns: sumOfAll(({ turns }) => turns),
    interventions: sumOfAll(({ interventions }) => interventions),
  };
}

/**
 * Wilson for one trial of pass or fail a task, else t over the tasks' means. Means that are all alike say nothing of their spread, and t would give no
 * width: they are then one trial a task, which is the most that can be said of tasks that nobody tried.
 */
function rateOf(cells: readonly (readonly number[])[]): Estimate {
  const single = cells.every((scores) => scores.length === 1 && (scores[0] === 0 || scores[0] === 1));
  const means = cells.map((scores) => mean(scores));
  const alike = means.every((one) => one === means[0] && one >= 0 && one <= 1);
  const { value, low, high } =
    (single || alike) && cells.length > 0
      ? wilson(
          means.reduce((sum, one) => sum + one, 0),
          cells.length,
        )
      : tInterval(means);
  return { value, low, high };
}

/**
 * The curve of pass@k and pass^k, repeats that are one observation counted as one. Where there are such, it ends at k = 1: a task with fewer than k has no
 * value, and the mean of the others would be one over the tasks that go either way.
 */
export function passCurveOf(arm: AnyArm): PassPoint[] {
  const cells = [...arm.tasks.values()];
  const curve = passCurve(cells.flatMap((cell) => observationsOf(cell).map(({ record }) => record)));
  return cells.some(isOneObservation) ? curve.slice(0, 1) : curve;
}

/** The end of the curve: with k as many as most tasks have. */
function overRepeats(curve: readonly PassPoint[]): ArmSummary["passAtK"] {
  const last = curve.at(-1);
  return last && last.k > 1 ? last : null;
}
