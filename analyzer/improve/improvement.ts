import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import type { Freeze, ImprovementPlan } from "./improvement-plan.ts";
import type { PredictionScore } from "./score-predictions.ts";
import type { Screen } from "./screen-patch.ts";

/** What a part of an improvement took. */
export interface Spent {
  /** Recorded, and planned. */
  readonly trials: number;
  readonly planned: number;
  readonly tokens: { readonly in: number; readonly out: number; readonly cached: number };
  /** USD; null where a price is not known. */
  readonly costUsd: number | null;
  /** Of all trials, one after the other, milliseconds. */
  readonly trialMs: number;
}

export type Answer = "better" | "worse" | "not shown";

/** The circle's last step: what was changed, what it did on tasks that nobody saw, and what it took. Complete: `--json` prints it. */
export interface Improvement {
  readonly v: 1;
  readonly id: string;
  readonly folder: string;
  readonly state: "finished" | "stopped";
  readonly answer: Answer;
  /** One sentence: the answer and why. */
  readonly headline: string;
  readonly plan: ImprovementPlan;
  readonly planHash: string;
  /** The configuration's name, and its file. */
  readonly base: { readonly name: string; readonly file: string };
  readonly refusedRuns: { readonly test: number; readonly otherConfigurations: number; readonly unreadable: number };
  readonly job: string;
  /** Selected, so inflated. */
  readonly screens: readonly Screen[];
  readonly predictions: readonly PredictionScore[];
  readonly freeze?: Freeze;
  /** The file of all kept patches together. */
  readonly improved?: string;
  /** Shown, or not: nothing else in an improvement is a verdict. */
  readonly test?: { readonly job: string; readonly comparison: ComparisonReport };
  /** Earlier plans whose test used these families, this one not counted. */
  readonly testsBefore: number;
  readonly spent: { readonly screen: Spent; readonly test: Spent };
  /** How it was made, and how to make it again. */
  readonly commands: readonly string[];
}

export function spentOn(records: readonly TrialRecord[], planned: number): Spent {
  const sum = (of: (record: TrialRecord) => number): number => records.reduce((total, record) => total + of(record), 0);
  return {
    trials: records.length,
    planned,
    tokens: { in: sum(({ tokens }) => tokens.in), out: sum(({ tokens }) => tokens.out), cached: sum(({ tokens }) => tokens.cached) },
    costUsd: records.some(({ costUsd }) => costUsd === null) ? null : sum(({ costUsd }) => costUsd ?? 0),
    trialMs: sum(({ wallMs }) => wallMs),
  };
}
