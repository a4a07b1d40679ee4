import { z } from "zod";

/** How hard a model is to think, from the least to the most. Not every model takes every value: its row has them. */
export const effortSchema = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof effortSchema>;

const priceSchema = z
  .strictObject({
    input: z.number().min(0),
    output: z.number().min(0),
    cached: z.number().min(0).describe("input read from the provider's cache"),
    cacheWrite: z.number().min(0).optional().describe("input written to the cache, kept for five minutes; left out: what input costs"),
    long: z
      .strictObject({ above: z.int().min(1), input: z.number().min(1), output: z.number().min(1) })
      .optional()
      .describe("whole requests with more input tokens than `above` cost these multiples"),
  })
  .describe("USD per million tokens");

/** What is known of a model, as a user may write it under `models:`. Everything may be left out: what is not known is not assumed. */
export const modelRowSchema = z.strictObject({
  wire: z.enum(["chat", "responses", "messages"]).optional().describe("the API that requests go to: it carries tool calls at every effort"),
  context: z.int().min(256).optional().describe("tokens of the whole window"),
  output: z.int().min(1).optional().describe("longest reply in tokens, thinking included"),
  sampling: z.enum(["always", "without reasoning", "never"]).optional().describe("when temperature and top_p are taken"),
  effort: z.array(effortSchema).readonly().optional().describe("the values it takes; an empty list: it has no such parameter"),
  defaultEffort: effortSchema.optional().describe("what a request without one gets"),
  chatTools: z.literal("none").optional().describe("Chat Completions take tools with this effort alone"),
  effortBy: z.literal("budget").optional().describe("effort is a budget of thinking tokens"),
  thinking: z
    .array(z.enum(["adaptive", "enabled", "disabled"]))
    .readonly()
    .optional()
    .describe("kinds of thinking that Messages takes"),
  thinksUnasked: z.boolean().optional().describe("it thinks unless a request turns that off"),
  forcedTools: z.boolean().optional().describe("a tool can be demanded"),
  history: z
    .enum(["free", "frozen", "drops reasoning"])
    .optional()
    .describe("what happens when earlier messages change: nothing, a refusal, or its reasoning is dropped"),
  price: priceSchema.optional(),
  priceOf: z.string().optional().describe("month of the price"),
  source: z.string().optional(),
});
export type ModelRow = z.infer<typeof modelRowSchema>;
export type Price = z.infer<typeof priceSchema>;
