import type { Message, ModelReply } from "../../../contract/messages.ts";
import type { ModelRequest } from "../../../contract/ports.ts";
import type { ModelError } from "../../../contract/model-error.ts";

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
  /** In the provider's own words: nothing in it tells what failed here, or why. */
  refusal(error: BadRequest | ModelError, at: RefusedRequest): Refusal;
}

/** What a refusal says of the request. */
export interface RefusedRequest {
  readonly requestId: string;
  /** The model asked for; undefined where the request was not understood. */
  readonly model: string | undefined;
}

/** What is wrong with a request, as far as a provider would say. `param`: the key, where it is one; `code`: the provider's word for it. */
export type Wrong =
  | { readonly type: "invalid"; readonly words: string; readonly param?: string; readonly code?: string }
  | { readonly type: "json"; readonly why: string }
  | { readonly type: "size"; readonly mostBytes: number }
  | { readonly type: "model"; readonly name: string; readonly cure: string }
  | { readonly type: "path" | "method"; readonly method: string; readonly path: string };

/** A request that a provider refuses whenever it comes. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
  readonly wrong: Wrong;
  constructor(wrong: Wrong) {
    super(`a request is refused: ${wrong.type}`);
    this.wrong = wrong;
  }
}

export const statusOfWrong: Readonly<Record<Wrong["type"], number>> = {
  invalid: 400,
  json: 400,
  size: 413,
  model: 404,
  path: 404,
  method: 405,
};

/** A message, and where it stands in the request: of one whose blocks are messages of their own, with the block. */
export interface Placed {
  readonly message: Message;
  readonly at: number;
  readonly block?: number;
}
type WrongPair = (id: string, place: Omit<Placed, "message">) => Omit<Wrong & { readonly type: "invalid" }, "type">;

/**
 * Every call must be answered right after it, and every answer must have its call: providers refuse a conversation where that is not so.
 * @param o.unanswered is told the place of the call's message
 */
export function checkPairs(placed: readonly Placed[], o: { readonly unanswered: WrongPair; readonly uncalled: WrongPair }): void {
  let open = new Set<string>();
  let called = 0;
  const allAnswered = (): void => {
    const [first] = open;
    if (first !== undefined) throw new BadRequest({ type: "invalid", ...o.unanswered(first, { at: called }) });
  };
  for (const { message, ...place } of placed) {
    if (message.role === "tool") {
      if (!open.delete(message.callId)) throw new BadRequest({ type: "invalid", ...o.uncalled(message.callId, place) });
      continue;
    }
    allAnswered();
    if (message.role !== "assistant") continue;
    open = new Set(message.content.flatMap((part) => (part.type === "call" ? [part.id] : [])));
    called = place.at;
  }
  allAnswered();
}

/** A result's status, which the wire does not tell apart: a harness's own refusal begins with saying that nothing was run. */
export function statusOf(text: string, failed: boolean): "ok" | "error" | "denied" {
  if (/^\s*(not executed|denied|refused|permission denied:)/i.test(text)) return "denied";
  return failed || /\bwas not carried out\b|^\s*(input validation error|invalid (arguments|parameters))/i.test(text) ? "error" : "ok";
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
