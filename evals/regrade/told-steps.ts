import { join } from "node:path";
import { z } from "zod";
import { readJson } from "../read-json.ts";
import type { StepOutcome } from "../trial/combine-steps.ts";
import { deltaRecordSchema, type TrialRecord } from "../trial-record.ts";

const schema = z.looseObject({
  steps: z
    .array(
      z.object({
        name: z.string(),
        rewards: z.record(z.string(), z.number()).nullable(),
        why: z.string().exactOptional(),
        unscored: z.literal(true).exactOptional(),
        delta: deltaRecordSchema.exactOptional(),
      }),
    )
    .min(1),
});

/** The steps of a trial that were begun, in their order, as its `steps.json` tells them; undefined where there is none. @throws DamagedError */
export async function toldSteps(job: string, { trace }: Pick<TrialRecord, "trace">): Promise<readonly StepOutcome[] | undefined> {
  const damaged = "does not tell the steps of a task, as forge bench writes it; restore it from a copy of the job.";
  return (await readJson(join(job, trace, "steps.json"), schema, damaged))?.steps;
}

/** The folder of a step's run, where what was kept of it lies, relative as the trial's own. */
export const traceOfStep = ({ trace }: Pick<TrialRecord, "trace">, i: number, name: string): string =>
  i === 0 ? trace : `${trace}/steps/${name}`;
