import { z } from "zod";
import { CannotError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";

const json = z.record(z.string(), z.json());
const named = z.looseObject({ name: z.string(), version: z.string(), options: json, changed: json });
/** What a replay relies on of a recorded configuration. What else stands in one is in `ResolvedConfig`; nothing of it has to be there. */
export const recordedConfigSchema = z.looseObject({
  name: z.string().describe("What people call it. In no hash."),
  hash: z
    .string()
    .describe("The harness hash: SHA-256 over prompts, tool schemas, limits, protocol, middleware and, where it is not 1, `loop`."),
  model: z
    .looseObject({ name: z.string(), protocol: z.enum(["native", "text", "grammar"]), maxOutputTokens: z.number() })
    .describe(
      "`name` is `provider/name`, `protocol` `native`, `text` or `grammar`. Where they are set also `effort` (`minimal`, `low`, `medium`, `high`, `xhigh`), `temperature`, `topP`, `contextTokens`, `extra` and, of a compatible server, `baseUrl`.",
    ),
  system: z.array(z.looseObject({ name: z.string(), text: z.string() })).describe("Sections of the system prompt, before any middleware."),
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string(), parameters: json }))
    .describe("Their schemas as the model gets them; `parameters` is JSON Schema."),
  middleware: z
    .array(
      named.extend({
        source: z.looseObject({ path: z.string(), hash: z.string(), files: z.record(z.string(), z.string()) }).optional(),
      }),
    )
    .describe(
      "Outermost first: all `options`, and in `changed` those that are not the default, which the harness hash covers. `source`, of a user's own file: its `path`, the `hash` of it and its relative imports, and their texts in `files`.",
    ),
  loop: z.literal(2).optional().describe("The version of the loop, where it is not 1: how it takes a reply without a call."),
  limits: z
    .record(z.string(), z.number())
    .describe("Those that are set of `turns`, `tokens`, `costUsd` (USD) and `activeMs` (milliseconds)."),
});
/** What a replay relies on of `run.start`. Hashes say that it is as it was recorded, not that a Forge recorded it, or which. */
const startSchema = z.looseObject({
  config: recordedConfigSchema,
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
