import { z } from "zod";

/**
 * What the simulated model does for one task: `solution/plan.yaml`. `steps` solve it when carried out in order; each fault is a place
 * where the model may go wrong, and its probability. The plan comes to the model as data; the agent never sees it.
 */
const callSchema = z.strictObject({ tool: z.string(), args: z.record(z.string(), z.json()) });
export const planSchema = z.strictObject({
  /** Said with each step, so that conversations read like ones. */
  steps: z
    .array(z.strictObject({ say: z.string().optional(), calls: z.array(callSchema).min(1), check: z.boolean().default(false) }))
    .min(1),
  /** The last message. */
  answer: z.string(),
  /** A finish that is wrong: steps carried out instead of `steps` when the model slips (an edge case forgotten, a wrong format). */
  slip: z
    .array(z.strictObject({ say: z.string().optional(), calls: z.array(callSchema).min(1), check: z.boolean().default(false) }))
    .optional(),
  /** The file that the task asks for and a false claim would name. */
  claims: z.array(z.string()).default([]),
});
export type Plan = z.infer<typeof planSchema>;
