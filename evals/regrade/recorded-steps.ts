import { join } from "node:path";
import { z } from "zod";
import { readJson } from "../../harness/files/read-json.ts";
import type { StepOutcome, StepsPlan } from "../trial/classify/combine-steps.ts";
import { deltaRecordSchema, type TrialRecord } from "../trial/trial-record.ts";

const schema = z.looseObject({
  /** How the rewards of steps become the task's, and how many steps it has. */
  reward: z.enum(["mean", "final"]),
  planned: z.int().min(1),
  steps: z
    .array(
      z.object({
        /** A folder's: what an archive says must lead to no other place. */
        name: z.string().regex(/^(?!\.{1,2}$)[^/\0]+$/),
        rewards: z.record(z.string(), z.number()).nullable(),
        why: z.string().exactOptional(),
        unscored: z.literal(true).exactOptional(),
        delta: deltaRecordSchema.exactOptional(),
      }),
    )
    .min(1),
});

export interface ToldSteps extends Omit<StepsPlan, "mode"> {
  /** Those that were started, in their order. */
  readonly steps: readonly StepOutcome[];
}

/** What the `steps.json` of a trial tells of it; undefined where there is none. @throws DamagedError */
export async function toldSteps(job: string, { trace }: Pick<TrialRecord, "trace">): Promise<ToldSteps | undefined> {
  const damaged = "does not list the steps of a task, as forge bench writes it; restore it from a copy of the job.";
  return readJson(join(job, trace, "steps.json"), schema, damaged);
}

/** The folder of a step's run, where what was kept of it lies, relative as the trial's own. */
export const traceOfStep = ({ trace }: Pick<TrialRecord, "trace">, i: number, name: string): string =>
  i === 0 ? trace : `${trace}/steps/${name}`;
