import { z } from "zod";

const sides = z.strictObject({ failed: z.int(), passed: z.int() });

/** What a patch would have changed in the recorded runs of its configuration, found by replaying them without a model. */
export const radiusSchema = z.strictObject({
  /** Runs that were looked at, of how many of the configuration with a verdict: a sample that the runs themselves give where there are many. */
  replayed: z.int(),
  of: z.int(),
  /** What the model is sent otherwise in every run, from its first turn; null: nothing. Then no single run tells what the change does. */
  every: z.enum(["prompt", "settings"]).nullable(),
  /** Runs whose course would change at some place: an intervention, a refused call, a limit that comes later. */
  touched: sides,
  /** Runs in which that cannot be told: a middleware asks what the recording has no answer to. */
  notKnown: sides,
  /** Of the failed runs that show the mechanism those that may go otherwise: where nothing changes, nothing is won. */
  shown: z.strictObject({ replayed: z.int(), touched: z.int() }),
  /** Why none was looked at; empty where some were. */
  why: z.string(),
});
export type Radius = z.infer<typeof radiusSchema>;
