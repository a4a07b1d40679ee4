import { z } from "zod";
import type { BenchEvent } from "../bench-events.ts";

const place = { ts: z.number(), task: z.string(), configuration: z.string(), repeat: z.int(), attempt: z.int() };
const image = { ts: z.number(), task: z.string(), verifier: z.literal(true).optional() };

/** The lines of a journal that someone who watches understands; others are passed over. */
const lineSchema = z.discriminatedUnion("t", [
  z.looseObject({ t: z.literal("job.open"), ts: z.number(), jobs: z.int() }),
  z.looseObject({ t: z.literal("task.left-out"), ts: z.number(), task: z.string(), reason: z.string() }),
  z.looseObject({ t: z.literal("image.start"), ...image }),
  z.looseObject({
    t: z.literal("image.end"),
    ...image,
    digest: z.string().nullable(),
    deviations: z.array(z.string()),
    error: z.string().optional(),
  }),
  z.looseObject({ t: z.literal("job.pause"), ts: z.number(), reason: z.string() }),
  z.looseObject({ t: z.literal("job.resume"), ts: z.number() }),
  z.looseObject({ t: z.literal("provider.pause"), ts: z.number(), provider: z.string(), until: z.number() }),
  z.looseObject({ t: z.literal("job.stop"), ts: z.number(), reason: z.enum(["asked", "cancelled", "max-cost", "decided"]) }),
  z.looseObject({
    t: z.literal("decision"),
    ts: z.number(),
    a: z.string(),
    b: z.string(),
    better: z.string(),
    task: z.string(),
    pair: z.int(),
    eValue: z.number(),
    threshold: z.number(),
  }),
  z.looseObject({ t: z.literal("attempt.start"), ...place }),
  z.looseObject({ t: z.literal("attempt.end"), ...place, class: z.string(), error: z.string().optional() }),
  z.looseObject({ t: z.literal("job.close"), ts: z.number(), status: z.string() }),
]);
export type JournalLine = z.infer<typeof lineSchema>;

/** The event that a line of the job as a whole tells; undefined for lines of attempts and of the job's begin and end, which need a look at other files. */
export function eventOf(line: JournalLine): BenchEvent | undefined {
  switch (line.t) {
    case "task.left-out":
      return { type: line.t, ts: line.ts, task: line.task, reason: line.reason };
    case "image.start":
      return { type: line.t, ts: line.ts, task: line.task, ...verifier(line) };
    case "image.end": {
      const { ts, task, digest, deviations, error } = line;
      return { type: line.t, ts, task, ...verifier(line), digest, deviations, ...(error === undefined ? {} : { error }) };
    }
    case "job.pause":
      return { type: line.t, ts: line.ts, reason: line.reason };
    case "job.resume":
      return { type: line.t, ts: line.ts };
    case "provider.pause":
      return { type: line.t, ts: line.ts, provider: line.provider, until: line.until };
    case "job.stop":
      return { type: line.t, ts: line.ts, reason: line.reason };
    case "decision": {
      const { ts, a, b, better, task, pair, eValue, threshold } = line;
      return { type: "job.decision", ts, decision: { a, b, better, task, pair, eValue, threshold } };
    }
    case "job.open":
    case "attempt.start":
    case "attempt.end":
    case "job.close":
      return undefined;
  }
}

const verifier = (line: { readonly verifier?: true | undefined }): { verifier?: true } => (line.verifier ? { verifier: true } : {});

export function parseJournalLine(text: string): JournalLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // a line that a crash tore, before its job is opened again
  }
}
