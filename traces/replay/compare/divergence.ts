import { createTwoFilesPatch } from "diff";
import type { Message, Section, ToolSchema } from "../../../harness/contract/messages.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { Json } from "../../../harness/json.ts";
import type { RebuiltRequest } from "../../read/rebuild-requests.ts";
import type { NearestRequest } from "./nearest-request.ts";

/** What differs first. `message` is one message of a request; `control flow`: another event, or none, where the recording has this one. */
export type DivergenceClass =
  "params" | "tools" | "system" | "message" | "control flow" | "tool arguments" | "intervention" | "observation" | "reply" | "verdict";

/** The first place where a replay left its recording. */
export interface Divergence {
  readonly class: DivergenceClass;
  /** `lane#n`. */
  readonly at: string;
  /** Sequence number of the recorded event, where there is one. */
  readonly seq: number | undefined;
  /** One sentence. */
  readonly what: string;
  /** Unified diff, recorded against replayed. */
  readonly diff: string;
  /** The middleware it comes from: whose lane it is in, else one that intervened on one side only, else the last that intervened. */
  readonly middleware?: string;
  /** Turn of the main lane in which the replay stood; 0 before its first request. */
  readonly turn?: number;
  /** A middleware asked what the recording has no answer to: what the harness would have sent from here on is not known. */
  readonly unanswered?: true;
  /** Of a request: the recorded one that is most like it. */
  readonly nearest?: NearestRequest;
}

/** Stops a replay at its first divergence. */
export class DivergenceError extends Error {
  override readonly name = "DivergenceError";
  readonly divergence: Divergence;
  constructor(divergence: Divergence) {
    super(divergence.what);
    this.divergence = divergence;
  }
}

export interface Sides {
  readonly recorded: RunEvent | undefined;
  readonly replayed: RunEvent | undefined;
  readonly seq: number | undefined;
  readonly requests?: { readonly recorded: RebuiltRequest; readonly replayed: RebuiltRequest };
}

/** Names the class of a difference and shows it. */
export function describeDivergence({ recorded, replayed, seq, requests }: Sides): Divergence {
  const event = recorded ?? replayed;
  const at = event ? `${event.lane}#${event.n}` : "the end";
  if (recorded?.t !== replayed?.t) {
    const kind = event?.t === "middleware" ? "intervention" : "control flow";
    const what = `At ${at} the recording has ${recorded ? recorded.t : "nothing more"}, the replay ${replayed ? `made ${replayed.t}` : "made nothing more"}.`;
    return { class: kind, at, seq, what, diff: difference(recorded?.d ?? null, replayed?.d ?? null, at) };
  }
  if (requests) {
    const part = requestDifference(requests.recorded, requests.replayed);
    if (part)
      return {
        class: part.class,
        at,
        seq,
        what: `The request ${at} differs in ${part.name}.`,
        diff: difference(part.recorded, part.replayed, part.name),
      };
  }
  const kind = classOf(event?.t);
  return { class: kind, at, seq, what: `${event?.t} ${at} differs.`, diff: difference(recorded?.d ?? null, replayed?.d ?? null, at) };
}

function classOf(t: RunEvent["t"] | undefined): DivergenceClass {
  if (t === "tool.call") return "tool arguments";
  if (t === "middleware") return "intervention";
  if (t === "tool.result" || t === "port.read") return "observation";
  if (t === "model.response" || t === "model.attempt") return "reply";
  return "control flow";
}

interface PartDifference {
  readonly class: DivergenceClass;
  readonly name: string;
  readonly recorded: Json;
  readonly replayed: Json;
}

/** The first component that differs, in the order in which a reader would look: parameters, system, tools, messages. */
function requestDifference(a: RebuiltRequest, b: RebuiltRequest): PartDifference | undefined {
  if (!same(a.params, b.params)) return { class: "params", name: "its parameters", recorded: a.params, replayed: b.params };
  if (!same(a.system, b.system))
    return { class: "system", name: "the system prompt", recorded: plain(a.system), replayed: plain(b.system) };
  if (!same(a.tools, b.tools)) return { class: "tools", name: "the tool schemas", recorded: plain(a.tools), replayed: plain(b.tools) };
  for (let i = 0; i < Math.max(a.messages.length, b.messages.length); i++) {
    const [recorded, replayed] = [a.messages[i], b.messages[i]];
    if (!same(recorded, replayed)) return { class: "message", name: `message ${i}`, recorded: plain(recorded), replayed: plain(replayed) };
  }
  return undefined;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const plain = (value: Message | readonly Section[] | readonly ToolSchema[] | undefined): Json => (value ?? null) as unknown as Json; // plain JSON by their types

/** Unified diff of two values. */
export function difference(recorded: Json, replayed: Json, name: string): string {
  return createTwoFilesPatch(`recorded ${name}`, `replayed ${name}`, readable(recorded), readable(replayed), "", "", { context: 2 });
}
/** JSON with the newlines of its strings shown as such, so that a diff of a prompt is one of lines. */
const readable = (value: Json): string => `${JSON.stringify(value, null, 2).replaceAll("\\n", "\n")}\n`;
