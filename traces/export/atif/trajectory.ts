import { z } from "zod";

/**
 * ATIF, the Agent Trajectory Interchange Format, as Harbor 0.25.0 defines it in `harbor/models/trajectories` (RFC 0001 of Harbor). What is written says v1.7:
 * it has no audio, which v1.8 added. Those models forbid fields of other names, and so does this schema.
 */
export const atifVersion = "ATIF-v1.7";

const extra = z.record(z.string(), z.json()).nullable().optional();
const text = z.string().nullable().optional();
const whole = z.int().nullable().optional();
const amount = z.number().nullable().optional();

const image = z.strictObject({ media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]), path: z.string() });
const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image"), source: image }),
]);
const content = z.union([z.string(), z.array(part)]);
const toolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.json()),
  extra,
});
const subagentReference = z
  .strictObject({ trajectory_id: text, session_id: text, trajectory_path: text, extra })
  .refine((one) => typeof one.trajectory_id === "string" || typeof one.trajectory_path === "string");
const observationResult = z.strictObject({
  source_call_id: text,
  content: content.nullable().optional(),
  subagent_trajectory_ref: z.array(subagentReference).nullable().optional(),
  extra,
});
const metrics = z.strictObject({
  prompt_tokens: whole,
  completion_tokens: whole,
  cached_tokens: whole,
  cost_usd: amount,
  prompt_token_ids: z.array(z.int()).nullable().optional(),
  completion_token_ids: z.array(z.int()).nullable().optional(),
  logprobs: z.array(z.number()).nullable().optional(),
  extra,
});
const agentOnly = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"] as const;
const step = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: text,
    source: z.enum(["system", "user", "agent"]),
    model_name: text,
    reasoning_effort: z.union([z.string(), z.number()]).nullable().optional(),
    message: content,
    reasoning_content: text,
    tool_calls: z.array(toolCall).nullable().optional(),
    observation: z
      .strictObject({ results: z.array(observationResult) })
      .nullable()
      .optional(),
    metrics: metrics.nullable().optional(),
    is_copied_context: z.boolean().nullable().optional(),
    llm_call_count: z.int().min(0).nullable().optional(),
    extra,
  })
  .refine((one) => one.source === "agent" || agentOnly.every((field) => one[field] === undefined || one[field] === null))
  .refine((one) => {
    const calls = new Set(one.tool_calls?.map(({ tool_call_id: id }) => id));
    return (one.observation?.results ?? []).every(({ source_call_id: id }) => typeof id !== "string" || calls.has(id));
  })
  .refine((one) => one.llm_call_count !== 0 || (one.metrics ?? one.reasoning_content ?? null) === null);
const agent = z.strictObject({
  name: z.string(),
  version: z.string(),
  model_name: text,
  tool_definitions: z.array(z.record(z.string(), z.json())).nullable().optional(),
  extra,
});
const finalMetrics = z.strictObject({
  total_prompt_tokens: whole,
  total_completion_tokens: whole,
  total_cached_tokens: whole,
  total_cost_usd: amount,
  total_steps: z.int().min(0).nullable().optional(),
  extra,
});
const shape = {
  schema_version: z.string().regex(/^ATIF-v1\.[0-8]$/),
  session_id: text,
  trajectory_id: text,
  agent,
  steps: z.array(step).min(1).refine((all) => all.every((one, i) => one.step_id === i + 1)), // prettier-ignore
  notes: text,
  final_metrics: finalMetrics.nullable().optional(),
  continued_trajectory_ref: text,
  extra,
};

export type AtifStep = z.infer<typeof step>;
export type AtifContent = z.infer<typeof content>;
export type AtifResult = z.infer<typeof observationResult>;
type Flat = z.infer<z.ZodObject<typeof shape, z.core.$strict>>;
/** A run, or the run of a subagent within it. */
export interface Trajectory extends Flat {
  subagent_trajectories?: Trajectory[] | null | undefined;
}

/** All that a trajectory may be, and nothing else. */
export const trajectorySchema: z.ZodType<Trajectory> = z.strictObject({
  ...shape,
  get subagent_trajectories() {
    return z
      .array(trajectorySchema)
      .refine(
        (all) =>
          all.every((one) => typeof one.trajectory_id === "string") && new Set(all.map((one) => one.trajectory_id)).size === all.length,
      )
      .nullable()
      .optional();
  },
});
