import { z } from "zod";
import { configSchema } from "../../harness/config/schema.ts";
import { issueSchema } from "../contract.ts";
import { baseConfigSchema } from "../proposals/base-config.ts";
import { radiusSchema } from "../proposals/radius.ts";

const evidenceSchema = z.strictObject({
  run: z.string(),
  seq: z.int(),
  step: z.int().nullable(),
  quote: z.string(),
  why: z.string(),
  passed: z.boolean(),
});

/** An issue with what the gate shows and needs beside what the contract names. */
export const issueDraftSchema = issueSchema.extend({
  /** Shapes of the faults that it stands for: by these it is found again in another analysis. */
  keys: z.array(z.string()),
  /** Failed runs of which it is the likeliest cause. */
  lost: z.int(),
  tasks: z.array(z.string()),
  /** Forms that the mechanism takes, with their numbers of runs. */
  forms: z.array(z.strictObject({ form: z.string(), runs: z.int(), failed: z.int() })),
  /** At most three runs, of different tasks where there are. */
  evidence: z.array(evidenceSchema),
  /** What is suggested, in words. */
  suggestion: z.string(),
  /** Why it may help: published or own. */
  because: z.string(),
  alternatives: z.array(z.string()),
  /** The keys that the patch changes, null with a recommendation; and the configuration that it changes, null where that is not known. */
  change: configSchema.nullable(),
  base: baseConfigSchema.nullable(),
  /** Failed runs that would probably pass; `guessed` of the lost ones have no sibling run to tell by. */
  gain: z.number(),
  guessed: z.int(),
  /** What the patch would have changed in recorded runs; null: it was not replayed. */
  radius: radiusSchema.nullable().default(null),
  /** The contrast that shows it; null: rules alone. */
  contrast: z
    .strictObject({
      oddsRatio: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      p: z.number(),
      q: z.number(),
    })
    .nullable(),
});
export type IssueDraft = z.infer<typeof issueDraftSchema>;
