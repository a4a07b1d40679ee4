import { z } from "zod";
import { eventSchemas, type EventType } from "../../../harness/events/schema.ts";
import type { BenchEvent } from "../bench-events.ts";
import type { TrialPlace } from "../../trial/trial-place.ts";
import { createRunSteps } from "../../trial/attempt/trial-progress.ts";
import { followLines } from "../../../harness/files/follow-lines.ts";

/** The steps of a running attempt, as its trace grows. */
export interface FollowedSteps {
  /** The last step since the last call, if there was one. */
  read(): Promise<BenchEvent[]>;
}

const lineSchema = z.looseObject({ t: z.string(), ts: z.number(), lane: z.string(), d: z.record(z.string(), z.json()) });

export function followSteps(trace: string, trial: TrialPlace, attempt: number): FollowedSteps {
  const lines = followLines(trace);
  const add = createRunSteps();
  return {
    async read() {
      let last: BenchEvent | undefined;
      for (const text of await lines.read()) {
        const line = parse(text);
        const step = line && isEvent(line.t) && add({ t: line.t, lane: line.lane, d: line.d });
        if (line && step) last = { type: "trial.step", ts: line.ts, trial, attempt, step };
      }
      return last ? [last] : [];
    },
  };
}

const isEvent = (t: string): t is EventType => Object.hasOwn(eventSchemas, t);

function parse(text: string): z.infer<typeof lineSchema> | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // torn: what is shown of a running trial need not be complete
  }
}
