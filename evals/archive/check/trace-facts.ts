import { join } from "node:path";
import { z } from "zod";
import { DamagedError } from "../../../harness/errors.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { readTrace } from "../../../traces/read/read-trace.ts";
import { openBlobStore } from "../../../traces/format/blob-store.ts";
import { decodeData } from "../../../traces/format/decode.ts";
import { evidenceLane } from "../../../traces/record/trace-writer.ts";
import { createRunTally } from "../../trial/evidence/run-tally.ts";

const start = z.looseObject({
  seed: z.number().optional(),
  model: z.looseObject({ provider: z.string(), name: z.string() }),
  meta: z.record(z.string(), z.json()),
});
const end = z.looseObject({
  outcome: z.looseObject({ type: z.string() }),
  spent: z.looseObject({
    turns: z.int(),
    input: z.int(),
    output: z.int(),
    cached: z.int(),
    costUsd: z.number().nullable(),
    activeMs: z.number(),
  }),
});
const usage = z.looseObject({ usage: z.looseObject({ input: z.int(), output: z.int(), cached: z.int() }), costUsd: z.number().nullable() });

/** What the traces of an attempt say of it, the runs of several steps one after the other. */
export interface TraceFacts {
  /** `run.start` of each run. */
  readonly starts: readonly z.infer<typeof start>[];
  /** `run.end` of each run that has one. */
  readonly ends: readonly z.infer<typeof end>[];
  /** Summed over every reply of a model, without asking what `run.end` says. */
  readonly replies: { readonly input: number; readonly output: number; readonly cached: number; readonly costUsd: number | null };
  readonly interventions: number;
  /** Everything that middlewares recorded: what records of older versions count. */
  readonly middlewareEvents: number;
  readonly replyDigest: string | null;
  /** The data of the last such event of the first run, of those after its end. */
  readonly verdict: JsonObject | undefined;
  readonly snapshot: JsonObject | undefined;
}

/** Reads the traces in these folders, which are sealed and whose hashes have been checked: none has torn bytes, which would not fit its seal. @throws DamagedError for an event that does not tell what it must. */
export async function traceFacts(folders: readonly string[]): Promise<TraceFacts> {
  const tally = createRunTally();
  const starts: z.infer<typeof start>[] = [];
  const ends: z.infer<typeof end>[] = [];
  const replies = { input: 0, output: 0, cached: 0, costUsd: 0 as number | null };
  let verdict: JsonObject | undefined;
  let snapshot: JsonObject | undefined;
  let middlewareEvents = 0;
  for (const [i, folder] of folders.entries()) {
    const blobs = openBlobStore(join(folder, "blobs"));
    for await (const { event } of readTrace(folder)) {
      const decoded = (): JsonObject => decodeData(event.d, (hash) => blobs.get(hash));
      const as = <T>(schema: z.ZodType<T>): T => {
        const read = schema.safeParse(decoded());
        if (read.success) return read.data;
        throw new DamagedError(`${join(folder, "trace.jsonl")}: event ${event.seq} (${event.t}) lacks what it must have.`);
      };
      if (event.t === "run.start" && event.lane === "main") starts.push(as(start));
      else if (event.t === "run.end" && event.lane === "main") ends.push(as(end));
      else if (event.t === "verifier.result" && i === 0) verdict = decoded();
      else if (event.t === "fs.snapshot" && event.lane === evidenceLane && i === 0) snapshot = decoded();
      else if (event.t === "model.response") {
        const reply = as(usage);
        replies.input += reply.usage.input;
        replies.output += reply.usage.output;
        replies.cached += reply.usage.cached;
        replies.costUsd = replies.costUsd === null || reply.costUsd === null ? null : replies.costUsd + reply.costUsd;
        tally.add({ ...event, d: decoded() });
      } else if (event.t === "middleware") {
        middlewareEvents += 1;
        tally.add(event);
      }
    }
  }
  return {
    starts,
    ends,
    replies,
    interventions: tally.interventions,
    middlewareEvents,
    replyDigest: tally.replyDigest(),
    verdict,
    snapshot,
  };
}
