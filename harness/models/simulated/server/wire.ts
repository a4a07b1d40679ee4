import type { Message, ModelReply } from "../../../agent/messages.ts";
import type { ModelRequest } from "../../../agent/ports.ts";
import type { ModelError } from "../../model-error.ts";

/** A request in one of the wire formats, understood. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  /** The sampling seed, where the format has one. */
  readonly seed?: number;
  readonly request: ModelRequest;
  /** The format tells tokens of a stream only when asked. */
  readonly withUsage: boolean;
}

export interface Said {
  readonly asked: Asked;
  readonly reply: ModelReply;
  /** The same for the same request. */
  readonly id: string;
  /** Text as it streams, cut into deltas. */
  readonly deltas: (text: string) => readonly string[];
}

/** An answer that is no reply. */
export interface Refusal {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Wire {
  readonly path: string;
  readonly requestIdHeader: string;
  /** Throws `BadRequest` for a body that the provider would refuse. */
  read(body: unknown): Asked;
  whole(said: Said): object;
  /** Server-sent events, each whole. */
  stream(said: Said): string[];
  refusal(error: BadRequest | ModelError): Refusal;
}

/** What a provider answers 400 or 404 to. `param` is the key that is wrong, where it is one. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
  readonly param: string | null;
  readonly status: 400 | 404 | 405 | 413;
  constructor(message: string, o: { param?: string; status?: 400 | 404 | 405 | 413 } = {}) {
    super(message);
    this.param = o.param ?? null;
    this.status = o.status ?? 400;
  }
}

/** Every call must be answered right after it, and every answer must have its call: providers refuse a conversation where that is not so. */
export function checkPairs(
  messages: readonly Message[],
  words: { readonly unanswered: (id: string) => string; readonly uncalled: (id: string) => string },
): void {
  let open = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const param = `messages.${i}`;
    if (message.role === "tool") {
      if (!open.delete(message.callId)) throw new BadRequest(words.uncalled(message.callId), { param });
      continue;
    }
    const [first] = open;
    if (first !== undefined) throw new BadRequest(words.unanswered(first), { param });
    if (message.role === "assistant") open = new Set(message.content.flatMap((part) => (part.type === "call" ? [part.id] : [])));
  }
  const [last] = open;
  if (last !== undefined) throw new BadRequest(words.unanswered(last), { param: "messages" });
}

/** A result's status, which the wire does not tell apart: a harness's own refusal begins with saying that nothing was run. */
export function statusOf(text: string, failed: boolean): "ok" | "error" | "denied" {
  if (/^\s*(not executed|denied|refused|permission denied:)/i.test(text)) return "denied";
  return failed || /\bwas not carried out\b|^\s*(input validation error|invalid (arguments|parameters))/i.test(text) ? "error" : "ok";
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
