import { z } from "zod";

const placeSchema = z.strictObject({
  turn: z.int(),
  seq: z.int(),
  step: z.int().nullable(),
  quote: z.string(),
  form: z.string().optional(),
});
const firstTurn = z.tuple([z.string(), z.int()]);

/** What the contrast keeps of a run, small enough for ten thousand in memory. Quotes are those of failed runs: only they are explained. */
export const contrastRowSchema = z.strictObject({
  run: z.string(),
  task: z.string(),
  family: z.string(),
  configuration: z.string(),
  /** Harness hash; empty where it is not known. */
  hash: z.string(),
  model: z.string(),
  passed: z.boolean(),
  turns: z.int(),
  /** Of an imported run it is not known what calls changed and how they ended. */
  effectsKnown: z.boolean(),
  /** Where it first shows each feature that it shows. */
  seen: z.record(z.string(), placeSchema),
  /** Files that it changed and programs that it ran, each with its first turn. */
  files: z.array(firstTurn),
  programs: z.array(firstTurn),
  /** The first reply, to be cited where a run has no call. */
  opening: z.strictObject({ seq: z.int(), step: z.int().nullable(), quote: z.string() }),
  /** Its first calls, to find where it parts from another run. */
  calls: z.array(z.strictObject({ says: z.string(), turn: z.int(), seq: z.int(), step: z.int(), quote: z.string() })),
});
export type ContrastRow = z.infer<typeof contrastRowSchema>;
