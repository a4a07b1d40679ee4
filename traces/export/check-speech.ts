import { z } from "zod";
import { DamagedError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";

const text = z.looseObject({ type: z.enum(["text", "thinking"]), text: z.string() });
const image = z.looseObject({ type: z.literal("image"), mediaType: z.string(), data: z.string() });
const call = z.looseObject({ type: z.literal("call"), id: z.string(), name: z.string(), args: z.record(z.string(), z.json()) });
const parts = z.array(z.discriminatedUnion("type", [text, image, call]));
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["user", "assistant"]), content: parts }),
  z.looseObject({ role: z.literal("tool"), callId: z.string(), content: parts }),
]);
const tool = z.looseObject({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.json()) });
/** What the schemas of the events leave open, so that a later Forge may add to it, and other formats do not. */
const speech = {
  "run.start": z.looseObject({ input: z.looseObject({ images: z.array(image).optional() }) }),
  "model.request": z.looseObject({
    tools: z.array(tool).optional(),
    add: z.array(z.union([z.looseObject({ ref: z.string(), message: z.never().optional() }), z.looseObject({ message })])),
  }),
  "model.response": z.looseObject({ message: z.looseObject({ role: z.literal("assistant"), content: parts }) }),
  "tool.result": z.looseObject({ callId: z.string(), name: z.string(), reply: z.looseObject({ content: parts }) }),
} as const;
const isSpeech = (t: string): t is keyof typeof speech => Object.hasOwn(speech, t);

/** Holds what was said in an event against what can be said in another format. @throws DamagedError with the place */
export function checkSpeech(event: RunEvent, folder: string): void {
  const checked = isSpeech(event.t) ? speech[event.t].safeParse(event.d) : undefined;
  if (!checked?.error) return;
  const [issue] = checked.error.issues;
  throw new DamagedError(
    `The run in ${folder} cannot be exported: ${event.t} ${event.lane}#${event.n}: ${issue?.path.join(".")}: ${issue?.message}. No run of Forge records that.`,
  );
}
