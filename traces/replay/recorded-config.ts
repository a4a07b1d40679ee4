import { z } from "zod";
import { CannotError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";

const json = z.record(z.string(), z.json());
const named = z.looseObject({ name: z.string(), version: z.string(), options: json, changed: json });
/** What a replay relies on of `run.start`. Hashes say that it is as it was recorded, not that a Forge recorded it, or which. */
const startSchema = z.looseObject({
  config: z.looseObject({
    name: z.string(),
    hash: z.string(),
    model: z.looseObject({ name: z.string(), protocol: z.enum(["native", "text", "grammar"]), maxOutputTokens: z.number() }),
    system: z.array(z.looseObject({ name: z.string(), text: z.string() })),
    tools: z.array(z.looseObject({ name: z.string(), description: z.string(), parameters: json })),
    middleware: z.array(
      named.extend({
        source: z.looseObject({ path: z.string(), hash: z.string(), files: z.record(z.string(), z.string()) }).optional(),
      }),
    ),
    limits: z.record(z.string(), z.number()),
  }),
  model: z.looseObject({ provider: z.string(), name: z.string() }),
});

/** @throws CannotError for a recorded configuration that this Forge cannot read, with the first place in it */
export function requireConfig(folder: string, start: RunEvent): void {
  const [issue] = startSchema.safeParse(start.d).error?.issues ?? [];
  if (!issue) return;
  throw new CannotError(
    `The configuration that the run in ${folder} recorded is none that this Forge can read: ${issue.path.join(".")}: ${issue.message}. Replay it with the Forge that recorded it; forge traces show and export take it.`,
  );
}
