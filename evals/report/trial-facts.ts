import { join } from "node:path";
import type { ArmTrial } from "../compare/arm.ts";
import { outcomeGroup } from "./outcome-group.ts";

/** One trial as a report shows it. */
export interface TrialFacts {
  readonly task: string;
  readonly repeat: number;
  readonly attempt: number;
  /** Null where the trial has no score. */
  readonly score: number | null;
  readonly passed: boolean | null;
  /** See `outcomeGroup`. */
  readonly outcome: string;
  /** Input (cached ones too) and output. */
  readonly tokens: number;
  readonly tokensOut: number;
  readonly costUsd: number | null;
  readonly activeMs: number;
  readonly turns: number;
  readonly interventions: number;
  /** Folder of the run, from where the command was given. */
  readonly run: string;
}

export const trialFacts = ({ record, folder }: ArmTrial): TrialFacts => ({
  task: record.task,
  repeat: record.repeat,
  attempt: record.attempt,
  score: record.score,
  passed: record.passed,
  outcome: outcomeGroup(record),
  tokens: record.tokens.in + record.tokens.out,
  tokensOut: record.tokens.out,
  costUsd: record.costUsd,
  activeMs: record.activeMs,
  turns: record.turns,
  interventions: record.interventions,
  run: join(folder, record.trace),
});
