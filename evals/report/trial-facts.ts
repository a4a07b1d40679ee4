import { join } from "node:path";
import type { AnyTrial } from "../arms/arm.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { outcomeGroup } from "./outcome-group.ts";

/** One trial as a report shows it; null is what another runner's results do not say. */
export interface TrialFacts {
  readonly task: string;
  readonly repeat: number;
  /** Null where the trial has no score. */
  readonly score: number | null;
  readonly passed: boolean | null;
  /** See `outcomeGroup`. */
  readonly outcome: string;
  /** Input (cached ones too) and output. */
  readonly tokens: number | null;
  readonly tokensOut: number | null;
  readonly costUsd: number | null;
  readonly activeMs: number | null;
  readonly turns: number | null;
  readonly interventions: number | null;
  /** Where the run lies, from where the command was given. */
  readonly run: string | null;
}

export const trialFacts = ({ record, folder }: AnyTrial): TrialFacts => ({
  task: record.task,
  repeat: record.repeat,
  score: record.score,
  passed: record.passed,
  outcome: outcomeOf(record),
  tokens: record.tokens.in === null || record.tokens.out === null ? null : record.tokens.in + record.tokens.out,
  tokensOut: record.tokens.out,
  costUsd: record.costUsd,
  activeMs: record.activeMs,
  turns: record.turns,
  interventions: record.interventions,
  run: record.trace === null ? null : join(folder, record.trace),
});

/** Forge's own records tell how the run ended; of others no more is known than the score. */
function outcomeOf(record: AnyTrial["record"]): string {
  if (isOwn(record)) return outcomeGroup(record);
  return record.score === null ? "no score" : record.passed === true ? "passed" : record.score > 0 ? "partly right" : "failed";
}

const isOwn = (record: AnyTrial["record"]): record is TrialRecord => "class" in record;
