import type { Message, ModelCall, ToolCall } from "../../harness/contract/messages.ts";
import { callsIn, textOf } from "../../harness/contract/messages.ts";
import { componentHash } from "../../harness/agent/record/request-hash.ts";

/** A conversation of an agent that is seen from outside. */
export interface Lane {
  readonly name: string;
  /** What the client calls it; undefined: it does not say. */
  readonly key: string | undefined;
  /** Of its last request. */
  messages: readonly Message[];
  /** Hashes of what the last request offered, to recognise another agent by. */
  system: string;
  tools: string;
  withTools: boolean;
  turns: number;
  /** The text of its last reply. */
  answer: string;
  /** Each message as it was first recorded, by what it says. */
  readonly known: Map<string, Message>;
  /** Calls without a result yet, by id. */
  readonly open: Map<string, { readonly call: ToolCall; readonly lane: string; readonly ref: string }>;
}

export type Placed = { readonly lane: Lane; readonly compacted: boolean } | undefined;

/**
 * The lane that a request goes on: the one its client names; else the one with the longest common beginning. A conversation that begins again with the main
 * lane's own prompt and tools is that one after a compaction. Undefined: it begins a lane.
 */
export function findLane(lanes: readonly Lane[], request: ModelCall, key: string | undefined): Placed {
  const withTools = request.tools.length > 0;
  const unnamed = lanes.filter((lane) => lane.key === key);
  if (key !== undefined) return unnamed[0] && { lane: unnamed[0], compacted: isAnother(unnamed[0], request.messages) };
  let best: { lane: Lane; common: number } | undefined;
  for (const lane of unnamed) {
    if (lane.withTools !== withTools) continue;
    const common = commonStart(lane.messages, request.messages);
    if (common > 0 && common > (best?.common ?? 0)) best = { lane, common };
  }
  if (best) return { lane: best.lane, compacted: false };
  const main = unnamed.find(({ name }) => name === "main");
  const isSame = main && main.system === componentHash(request.system) && main.tools === componentHash(request.tools);
  return isSame && withTools ? { lane: main, compacted: true } : undefined;
}

const isAnother = (lane: Lane, messages: readonly Message[]): boolean =>
  lane.messages.length > 0 && commonStart(lane.messages, messages) === 0;

/** How many messages both begin with. What they say is found once, however often it is sent again. */
function commonStart(before: readonly Message[], now: readonly Message[]): number {
  for (const [i, message] of now.entries()) {
    const known = before[i];
    if (!known || !saysTheSame(known, message)) return i;
    sayings.set(message, sayingOf(known));
  }
  return now.length;
}

function saysTheSame(a: Message, b: Message): boolean {
  const known = sayings.get(b);
  if (known !== undefined) return sayingOf(a) === known;
  if (a.role !== "assistant" || b.role !== "assistant") return isEqual(a, b);
  return textOf(a.content) === textOf(b.content) && isEqual(callsIn(a), callsIn(b));
}

/** As if both were written as JSON: keys in their order. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return left.length === right.length && left.every(([key, value], i) => key === right[i]?.[0] && isEqual(value, right[i]?.[1]));
}

const sayings = new WeakMap<Message, string>();

/** What a message says, whatever its wire adds to it: of an assistant's, its text and calls. */
export function sayingOf(message: Message): string {
  const known = sayings.get(message);
  if (known !== undefined) return known;
  const said =
    message.role === "assistant"
      ? JSON.stringify(["assistant", textOf(message.content), callsIn(message).map(({ id, name, args }) => [id, name, args])])
      : JSON.stringify(message);
  sayings.set(message, said);
  return said;
}
