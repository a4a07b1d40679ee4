import { z } from "zod";

const text = z.string().min(1);
/** Left out and null are the same: not known. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();
const whole = z.int().min(0);
const isoTime = z.string().refine((value) => Number.isFinite(Date.parse(value)), "expected an ISO time such as 2026-01-01T10:00:00Z");

const stepSchema = z.looseObject({
  i: whole,
  /** ISO, or Unix seconds: the year 5138 is far enough, and milliseconds are greater. */
  t: maybe(z.union([isoTime, z.number().min(0).max(1e11)])),
  turn: maybe(whole),
  call: maybe(z.string().regex(/^[1-9]\d*\/[1-9]\d*$/)),
  thought: maybe(z.string()),
  reasoning: maybe(z.string()),
  action: maybe(
    z.union([z.string(), z.looseObject({ tool: text, args: maybe(z.record(z.string(), z.json())), command: maybe(z.string()) })]),
  ),
  observation: maybe(z.string()),
  observation_cut: maybe(z.boolean()),
  exit_code: maybe(z.int()),
  stop: maybe(z.string()),
  source: maybe(z.string()),
  text: maybe(z.string()),
});

/** A run in the form `steps`: docs/steps-format.md. What it does not name is kept as it is. */
export const stepsRunSchema = z.looseObject({
  task: text,
  agent: text,
  instruction: text,
  steps: z.array(stepSchema),
  run: maybe(text),
  agent_version: maybe(z.string()),
  model: maybe(z.string()),
  config: maybe(z.record(z.string(), z.json())),
  passed: maybe(z.boolean()),
  reward: maybe(z.number()),
  rewards: maybe(z.record(z.string(), z.number().nullable())),
  verifier: maybe(z.string()),
  ended: maybe(z.string()),
  started_at: maybe(isoTime),
  finished_at: maybe(isoTime),
  usage: maybe(z.looseObject({ n_input_tokens: maybe(whole), n_output_tokens: maybe(whole), n_cache_tokens: maybe(whole), cost_usd: maybe(z.number().min(0)) })), // prettier-ignore
  preamble_system: maybe(z.string()),
  preamble: maybe(z.array(z.looseObject({ source: maybe(z.string()), text: z.string() }))),
});

export type StepsRun = z.infer<typeof stepsRunSchema>;
export type Step = z.infer<typeof stepSchema>;

/** Fields of the form, of a run and of a step. */
export const runFields = Object.keys(stepsRunSchema.shape);
export const stepFields = Object.keys(stepSchema.shape);
/** Somebody's answer to why a run failed: never read, so that no analysis can repeat it. */
export const labelFields: readonly string[] = ["known", "known_cause", "failure_reports"];
