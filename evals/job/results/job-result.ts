import { z } from "zod";
import { crashIn } from "../../trial/evidence/evidence.ts";
import { modeSchema, sandboxKindSchema, type TrialRecord } from "../../trial/trial-record.ts";

/** A comparison of a job that stops when decided: what came of it, as far as it was looked at. */
const decidedPairSchema = z.looseObject({
  a: z.string(),
  b: z.string(),
  /** `a` or `b`; null where nothing was decided. */
  better: z.string().nullable(),
  /** Tasks looked at, of those planned; with a decision the last of them made it. */
  pairs: z.int(),
  planned: z.int(),
  task: z.string().nullable(),
  eValue: z.number(),
  /** What the e-value had to exceed; null where nothing was decided. */
  threshold: z.number().nullable(),
  /** B − A over these tasks, trials without a score left out, with its 95 % interval, valid whenever one looks. */
  difference: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }),
});
export type DecidedPair = z.infer<typeof decidedPairSchema>;

const tokens = z.strictObject({ in: z.int(), out: z.int(), cached: z.int() });
export const configurationSummarySchema = z.looseObject({
  configuration: z.string(),
  harnessHash: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  /** Trials with a record, and of these: passed, failed (scored), without a score. */
  trials: z.int(),
  passed: z.int(),
  failed: z.int(),
  unscored: z.int(),
  /** Attempts that ended by the machinery's fault, also of trials that were scored later. */
  infraAttempts: z.int(),
  /** Trials in which another agent's process failed before any tool call, and how the last of them did. Absent: none. */
  crashes: z.object({ trials: z.int(), says: z.string() }).optional(),
  tokens,
  /** USD; null as soon as one trial has no known cost. */
  costUsd: z.number().nullable(),
  /** True: nothing was charged, the cost is made up. Absent in results of older versions. */
  costSimulated: z.boolean().optional(),
  turns: z.int(),
  interventions: z.int(),
  activeMs: z.number(),
  wallMs: z.number(),
});
export type ConfigurationSummary = z.infer<typeof configurationSummarySchema>;

/** `result.json` of a job, and the last line of `forge bench --json`. */
export const jobResultSchema = z.looseObject({
  v: z.literal(1),
  job: z.string(),
  folder: z.string(),
  suite: z.string(),
  agent: z.string(),
  sandbox: sandboxKindSchema,
  modes: z.array(modeSchema),
  /** At least one arm's model is simulated: no verdict rests on it. */
  simulated: z.boolean(),
  /** `finished`: every trial has a record. `decided`: every one that was needed. Else why it stopped; the same command resumes it. */
  status: z.enum(["finished", "decided", "stopped", "cancelled", "max-cost"]),
  /** Trials requested, with a record, and without a score. */
  trials: z.int(),
  recorded: z.int(),
  unscored: z.int(),
  /** More trials without a score than max(1, 2 %), or none with one: the job shows nothing about its configurations. */
  invalid: z.boolean(),
  repeats: z.int(),
  /** Only with `--until-decided`. */
  decided: z.array(decidedPairSchema).optional(),
  tasks: z.array(z.string()),
  /** Tasks that were requested and could not be run, each with a sentence of the reason. They have no trials. Absent: none. */
  leftOut: z.array(z.object({ task: z.string(), reason: z.string() })).optional(),
  configurations: z.array(configurationSummarySchema),
  /** Cost of all attempts, thrown away ones too; null where one is unknown. */
  spentUsd: z.number().nullable(),
  /** The part of it that is made up, of simulated models; null where one is unknown. Absent in results of older versions. */
  spentSimulatedUsd: z.number().nullable().optional(),
  endedAt: z.number(),
});
export type JobResult = z.infer<typeof jobResultSchema>;

/** Sums over the records of one configuration. `infraAttempts`: counted by the job. */
export function summarize(
  arm: { readonly configuration: string; readonly harnessHash: string; readonly model: string; readonly simulated: boolean },
  records: readonly TrialRecord[],
  infraAttempts: number,
): ConfigurationSummary {
  const sum = (of: (record: TrialRecord) => number): number => records.reduce((total, record) => total + of(record), 0);
  const crashed = records.filter(({ passed, evidence }) => passed !== true && crashIn(evidence));
  return {
    ...arm,
    trials: records.length,
    passed: sum(({ passed }) => (passed === true ? 1 : 0)),
    failed: sum(({ passed }) => (passed === false ? 1 : 0)),
    unscored: sum(({ passed }) => (passed === null ? 1 : 0)),
    infraAttempts,
    ...(crashed.length > 0 ? { crashes: { trials: crashed.length, says: crashed.at(-1)?.error ?? "no reason was recorded" } } : {}),
    tokens: { in: sum((r) => r.tokens.in), out: sum((r) => r.tokens.out), cached: sum((r) => r.tokens.cached) },
    costUsd: records.some(({ costUsd }) => costUsd === null) ? null : sum(({ costUsd }) => costUsd ?? 0),
    costSimulated: arm.simulated,
    turns: sum(({ turns }) => turns),
    interventions: sum(({ interventions }) => interventions),
    activeMs: sum(({ activeMs }) => activeMs),
    wallMs: sum(({ wallMs }) => wallMs),
  };
}

/** The tolerance of `invalid`: one trial, or 2 % of all, and never all of them. */
export function tooManyUnscored(unscored: number, trials: number): boolean {
  return unscored > Math.max(1, trials * 0.02) || (unscored > 0 && unscored === trials);
}
