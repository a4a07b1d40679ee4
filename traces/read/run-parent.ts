import { z } from "zod";

/** `meta.parent` of a run that went on from another one. */
export const parentSchema = z.object({
  run: z.string().describe("Where the other run lay."),
  start: z.string().describe("The hash of its first event, by which it is found wherever it is now."),
  step: z.int().min(0).describe("The turn of the main conversation from which on this run is another one."),
  answered: z.boolean().default(false).describe("The model's reply in that turn is still the other run's."),
});
/** Which run another went on from, and at which turn. */
export type RunParent = z.infer<typeof parentSchema>;
