import type { AssistantPart, ModelReply, Usage } from "../../contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { callsFrom, keptOf } from "./call-args.ts";
import { ModelError } from "../../contract/model-error.ts";
import { amount, beyondCaps, cutAtReplyCap, replyBudget, replyCaps, tokens } from "../reply-caps.ts";

/** What a chunk, or a whole completion, may carry. Any field may be missing or of another type: some server somewhere sends it so. */
interface WireChunk {
  readonly model?: unknown;
  readonly system_fingerprint?: unknown;
  readonly choices?: unknown;
  readonly usage?: unknown;
}
interface WireChoice {
  readonly delta?: unknown;
  readonly message?: unknown;
  readonly finish_reason?: unknown;
}
interface WireDelta {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: unknown;
}
interface WireCall {
  readonly index?: unknown;
  readonly id?: unknown;
  /** Some servers send the arguments as an object. */
  readonly function?: unknown;
  /** Google's signature of the thoughts before the call, which must come back with it. */
  readonly extra_content?: unknown;
}
interface GrowingCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly value?: Json;
  readonly extra?: JsonObject;
}

export interface OpenAiReply extends Omit<ModelReply, "usage" | "costUsd"> {
  /** undefined where the server did not say. */
  readonly usage: Usage | undefined;
  /** USD, where the server itself says what it charged. */
  readonly charged: number | undefined;
}

/** Puts a reply together from the chunks of one stream, or from one whole completion. `finish` throws `ModelError` for what is no answer. */
export function openAiReply(o: { who: string; turn: number; onText?: (delta: string) => void }): {
  take(chunk: unknown): void;
  /** The reply has more than is read; what follows in the stream counts no more. */
  readonly full: boolean;
  finish(): OpenAiReply;
} {
  const budget = replyBudget();
  let text = "";
  let thinking = "";
  let refusal = "";
  const reasoning: Record<string, Json> = {};
  const calls = new Map<number, GrowingCall>();
  /** Where the latest call of a server's index is kept, which is the index itself but for servers that number every call 0. */
  const placeOf = new Map<number, number>();
  let model: string | undefined;
  let fingerprint: string | undefined;
  let usage: JsonObject | undefined;
  let finishReason: string | undefined;
  let seen = 0;

  const takeDelta = (delta: WireDelta): void => {
    const said = budget.take(contentOf(delta.content));
    if (said !== "") {
      text += said;
      o.onText?.(said);
    }
    refusal += budget.take(delta.refusal);
    for (const field of ["reasoning_content", "reasoning"] as const) {
      const thought = budget.take(delta[field]);
      if (thought !== "") reasoning[field] = `${(reasoning[field] as string | undefined) ?? ""}${thought}`; // only strings are put there
      if (field === "reasoning_content" || typeof delta.reasoning_content !== "string") thinking += thought;
    }
    for (const detail of listOf(delta.reasoning_details)) {
      if (isObject(detail) && beyondCaps(detail as Json) === undefined) joinDetail(reasoning, detail as JsonObject); // parsed from JSON
    }
    for (const piece of listOf(delta.tool_calls)) if (isObject(piece)) takeCall(piece);
  };
  const takeCall = (piece: WireCall): void => {
    // A server that counts nothing opens a new call with each new id.
    const last = calls.size - 1;
    const id = typeof piece.id === "string" ? piece.id : "";
    const counted = typeof piece.index === "number" ? piece.index : undefined;
    const { name, arguments: args } = isObject(piece.function) ? piece.function : {};
    const index =
      counted === undefined
        ? id !== "" && calls.get(last)?.id !== id
          ? calls.size
          : Math.max(last, 0)
        : placed(counted, id, typeof name === "string" && name !== "");
    const call = calls.get(index) ?? { id: "", name: "", json: "" };
    if (!calls.has(index) && calls.size > replyCaps.calls) return; // one more than is read is kept, and answered
    const json = budget.take(args);
    const value = typeof args === "string" || args == null ? call.value : (args as Json); // parsed from JSON
    const extra = extraOf(piece.extra_content) ?? call.extra;
    calls.set(index, {
      id: call.id || id,
      name: call.name + budget.take(name),
      json: call.json + json,
      ...(value === undefined ? {} : { value }),
      ...(extra === undefined ? {} : { extra }),
    });
  };
  /** Another id with a name under an index that is taken is another call. */
  const placed = (counted: number, id: string, isNamed: boolean): number => {
    const at = placeOf.get(counted) ?? counted;
    const there = calls.get(at);
    const isOther = there !== undefined && isNamed && id !== "" && there.id !== "" && there.id !== id;
    const index = isOther ? Math.max(...calls.keys()) + 1 : at;
    placeOf.set(counted, index);
    return index;
  };
  return {
    get full() {
      return budget.full;
    },
    take(raw) {
      const next: WireChunk = isObject(raw) ? raw : {};
      model = wordOf(next.model) ?? model;
      fingerprint = wordOf(next.system_fingerprint) ?? fingerprint;
      usage = isObject(next.usage) ? (next.usage as JsonObject) : usage; // parsed from JSON
      const choice: unknown = listOf(next.choices)[0];
      if (choice === undefined) return;
      seen++;
      const { delta, message, finish_reason }: WireChoice = isObject(choice) ? choice : {};
      const said = delta ?? message;
      if (isObject(said)) takeDelta(said);
      finishReason = wordOf(finish_reason) ?? finishReason;
    },
    finish() {
      if (budget.full) finishReason = "length";
      if (seen === 0) throw new ModelError("server", `${o.who} sent a reply without a choice in it.`);
      if (finishReason === undefined) throw new ModelError("stream", `${o.who} broke off before the end of its reply.`);
      const content: AssistantPart[] = [];
      if (Object.keys(reasoning).length > 0)
        content.push({ type: "thinking", text: thinking, opaque: { type: "reasoning", ...reasoning } });
      const said = text === "" ? refusal : text;
      if (said !== "") content.push({ type: "text", text: said });
      const grown = [...calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => call);
      const given = grown.map(({ id, name, json, value }) => ({ id, name, given: json === "" && value !== undefined ? value : json }));
      const called = callsFrom(given, o.turn);
      content.push(
        ...called.map(({ id, name, args }, index) => {
          const extra = grown[index]?.extra;
          return {
            type: "call" as const,
            id,
            name,
            args,
            ...(extra === undefined ? {} : { opaque: { type: "tool_call", extra_content: extra } }),
          };
        }),
      );
      const message = { role: "assistant" as const, content };
      return {
        message: budget.full ? keptOf(message) : message,
        calls: called,
        usage: usageOf(usage),
        charged: amount(usage?.["cost"]), // OpenRouter: what it charged, in USD
        stop: refusal !== "" ? "refusal" : stopOf(finishReason, called.length),
        ...(budget.full ? { cutAt: cutAtReplyCap } : {}),
        served: {
          ...(model === undefined ? {} : { model }),
          ...(fingerprint === undefined ? {} : { fingerprint }),
        },
      };
    },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** A name or a reason: what is longer is none. */
const wordOf = (value: unknown): string | undefined => (typeof value === "string" && value.length <= longestWord ? value : undefined);
const longestWord = 1_000;

/** What a server adds to a call, as far as it is read. */
const extraOf = (value: unknown): JsonObject | undefined =>
  isObject(value) && beyondCaps(value as Json) === undefined ? (value as JsonObject) : undefined; // parsed from JSON

/** Some servers send the text in parts. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/** Details that are kept: each piece is compared with all of them. */
const mostDetails = 1_000;

/** Details of reasoning come in pieces; those of one index are one detail, and must go back whole. */
function joinDetail(reasoning: Record<string, Json>, piece: JsonObject): void {
  const details = (reasoning["reasoning_details"] ??= []) as JsonObject[]; // only such lists are put there
  const earlier = details.find((detail) => detail["index"] === piece["index"] && detail["type"] === piece["type"]);
  if (earlier === undefined || piece["index"] === undefined) return void (details.length < mostDetails && details.push({ ...piece }));
  for (const [key, value] of Object.entries(piece)) {
    const grows = ["text", "summary", "data"].includes(key) && typeof value === "string" && typeof earlier[key] === "string";
    if (grows) earlier[key] = `${String(earlier[key])}${value}`;
    else if (value !== null) earlier[key] = value;
  }
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
  const [input, output] = [tokens(usage?.["prompt_tokens"]), tokens(usage?.["completion_tokens"])];
  if (input === undefined || output === undefined) return undefined;
  const details = usage?.["prompt_tokens_details"];
  const { cached_tokens, cache_write_tokens } = isObject(details) ? details : {};
  const cacheWrite = tokens(cache_write_tokens);
  const wrote = usage?.["completion_tokens_details"];
  const reasoning = isObject(wrote) ? tokens(wrote["reasoning_tokens"]) : undefined;
  return {
    input,
    output,
    cached: tokens(cached_tokens) ?? 0,
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function stopOf(reason: string, calls: number): ModelReply["stop"] {
  if (reason === "length") return "length";
  if (reason === "content_filter") return "refusal";
  return calls > 0 ? "calls" : "end";
}
