import { z } from "zod";

const place = { ts: z.number(), task: z.string(), configuration: z.string(), repeat: z.int(), attempt: z.int() };

/** The lines of a journal that someone who watches understands; others are passed over. */
const lineSchema = z.discriminatedUnion("t", [
  z.looseObject({ t: z.literal("job.open"), ts: z.number(), jobs: z.int() }),
  z.looseObject({ t: z.literal("attempt.start"), ...place }),
  z.looseObject({ t: z.literal("attempt.end"), ...place, class: z.string(), error: z.string().optional() }),
  z.looseObject({ t: z.literal("job.close"), ts: z.number(), status: z.string() }),
]);
export type JournalLine = z.infer<typeof lineSchema>;

export function parseJournalLine(text: string): JournalLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // a line that a crash tore, before its job is opened again
  }
}
