import { z } from "zod";
import { sandboxKindSchema, trialRecordSchema } from "../../trial/trial-record.ts";
import { join } from "node:path";
import { glob } from "tinyglobby";
import { readJson } from "../../../harness/files/read-json.ts";

const verdict = z.strictObject({
  class: trialRecordSchema.shape.class,
  score: z.number().nullable(),
  passed: z.boolean().nullable(),
});

/** One trial before and after. */
const regradedTrialSchema = z.looseObject({
  task: z.string(),
  configuration: z.string(),
  repeat: z.int(),
  before: verdict,
  after: verdict,
  /**
   * `graded`: verified again. `unchanged`: there was nothing to verify before either, and its score stands. `failed`: the machinery could not; no score.
   * `left-out`: what that needs was not kept, and `why` says it; no score.
   */
  how: z.enum(["graded", "unchanged", "failed", "left-out"]),
  why: z.string().optional(),
});
export type RegradedTrial = z.infer<typeof regradedTrialSchema>;

/** `regrade.json`: what was verified again, with what, and how the scores moved. Trials of other tasks were taken over as they were. */
export const regradeResultSchema = z.looseObject({
  v: z.literal(1),
  id: z.string(),
  /** Where the results lie: a folder like a job's, for `forge compare`. */
  folder: z.string(),
  job: z.string(),
  forgeVersion: z.string(),
  sandbox: z.looseObject({ before: sandboxKindSchema, now: sandboxKindSchema }),
  /** By name. `image`: what a fresh sandbox starts from; where it differs, more than the tests changed. */
  tasks: z.record(
    z.string(),
    z.looseObject({
      digest: z.strictObject({ before: z.string(), now: z.string() }),
      image: z.strictObject({ before: z.string().nullable(), now: z.string().nullable() }),
    }),
  ),
  trials: z.array(regradedTrialSchema),
  /** Tasks of which no trial could be verified again, by no doing of an agent: they are not in the results. Absent: none. */
  leftOut: z.array(z.object({ task: z.string(), reason: z.string() })).optional(),
  /** So many trials were judged by more than was kept of them; their new scores hold where the tests need nothing else. Left out: none. */
  keptInPart: z.int().optional(),
  endedAt: z.number(),
});
export type RegradeResult = z.infer<typeof regradeResultSchema>;

/** The finished regrades of a job, the oldest first. @throws DamagedError for one that cannot be read. */
export async function regradesOf(job: string): Promise<readonly RegradeResult[]> {
  const paths = await glob("regrades/*/regrade.json", { cwd: job, dot: true, ignore: "regrades/*.part/**" });
  const why = "is not what forge bench regrade writes there; restore it, or remove its folder.";
  const found = await Promise.all(paths.map((path) => readJson(join(job, path), regradeResultSchema, why)));
  return found.filter((one) => one !== undefined).toSorted((a, b) => a.endedAt - b.endedAt);
}
