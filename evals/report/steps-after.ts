import { join } from "node:path";
import { z } from "zod";
import { isIntervention } from "../../harness/events/is-intervention.ts";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import type { JsonObject } from "../../harness/json.ts";
import { readTrace } from "../../traces/read/read-trace.ts";
import { tornSeal, type TornTail } from "../../traces/read/torn-tail.ts";
import { openTraceBytes } from "../../traces/read/trace-bytes.ts";
import { openBlobStore } from "../../traces/format/blob-store.ts";
import { decodeData } from "../../traces/format/decode.ts";
import { readSeal } from "../../traces/format/seal.ts";

/**
 * What the model's next step was: the best of its calls counts, in this order; `same call again`: nothing but what it had called right before;
 * `answered`: it said it was done; `nothing`: the run ended first.
 */
export const followedKinds = [
  "check passed",
  "check failed",
  "check unknown",
  "edited",
  "same call again",
  "other call",
  "answered",
  "nothing",
] as const;
export type Followed = (typeof followedKinds)[number];

export interface Step {
  readonly middleware: string;
  readonly change: string;
  readonly followed: Followed;
}

const interventionSchema = z.looseObject({ name: z.string(), change: z.string() });
const called = z.looseObject({ name: z.json(), args: z.json() });
/** A protocol of text lists the calls that were read out of it; the others have them among the message's parts. */
const responseSchema = z.looseObject({
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }),
  calls: z.array(called).optional(),
});
const checkSchema = z.union([
  z.looseObject({ result: z.enum(["passed", "failed", "unknown"]) }).transform(({ result }) => result),
  z.looseObject({ passed: z.boolean() }).transform(({ passed }) => (passed ? "passed" : "failed")),
]);
const resultSchema = z.looseObject({
  reply: z.looseObject({
    effects: z.looseObject({ edited: z.array(z.json()), check: checkSchema.optional() }).optional(),
  }),
});

interface Turn {
  readonly calls: string;
  edited: boolean;
  check?: z.infer<typeof checkSchema>;
}

/**
 * Every intervention of a run with the step of the main conversation that followed it. One that comes with a call or its result is followed by the
 * reply after that. What the trace lost behind its whole events is told through `onTorn`: what followed there last is then not known, and `nothing` says too much.
 * @throws DamagedError for a trace that fails its hashes, or was sealed and has bytes behind its whole events; another ForgeError where one of its blobs is missing or too large
 */
export async function stepsAfter(run: string, onTorn: (torn: TornTail) => void): Promise<Step[]> {
  const steps: Step[] = [];
  let waiting: Omit<Step, "followed">[] = [];
  let judged: Omit<Step, "followed">[] = [];
  let [turn, before]: [Turn | undefined, Turn | undefined] = [undefined, undefined];
  const close = (): void => {
    if (turn) for (const one of judged) steps.push({ ...one, followed: kindOf(turn, before) });
    judged = [];
  };
  const blobs = openBlobStore(join(run, "blobs"));
  const seal = readSeal(run); // before the trace, which may be sealed just now
  const tell = (torn: TornTail): void => {
    if (seal) throw tornSeal(openTraceBytes(run).path, torn);
    onTorn(torn);
  };
  for await (const { event } of readTrace(run, tell)) {
    const decoded = (): JsonObject => decodeData(event.d, (hash) => blobs.get(hash));
    if (isIntervention(event)) {
      const parsed = interventionSchema.safeParse(event.d); // its name and change are short
      if (parsed.success) waiting.push({ middleware: parsed.data.name, change: parsed.data.change });
    } else if (event.t === "model.response" && event.lane === "main") {
      close();
      before = turn;
      turn = { calls: callsOf(decoded()), edited: false };
      judged = waiting;
      waiting = [];
    } else if (event.t === "tool.result" && turn) note(turn, decoded());
  }
  close();
  return [...steps, ...waiting.map((one) => ({ ...one, followed: "nothing" as const }))];
}

/** The reply's calls without their ids; `[]` for none. */
function callsOf(response: JsonObject): string {
  const { data } = responseSchema.safeParse(response);
  const parts =
    data?.calls ?? data?.message.content.flatMap((part) => (part.type === "call" ? (called.safeParse(part).data ?? []) : [])) ?? [];
  return canonicalJson(parts.map(({ name, args }) => [name, args]));
}

function note(turn: Turn, result: JsonObject): void {
  const effects = resultSchema.safeParse(result).data?.reply.effects;
  if (!effects) return;
  turn.edited ||= effects.edited.length > 0;
  if (effects.check) turn.check = order.find((result) => result === turn.check || result === effects.check) ?? effects.check;
}

/** The best of a turn's checks counts. */
const order = ["passed", "failed", "unknown"] as const;

function kindOf(turn: Turn, before: Turn | undefined): Followed {
  if (turn.check !== undefined) return `check ${turn.check}`;
  if (turn.edited) return "edited";
  if (turn.calls === "[]") return "answered";
  return turn.calls === before?.calls ? "same call again" : "other call";
}
