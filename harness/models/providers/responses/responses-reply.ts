import OpenAI from "openai";
import type { AssistantPart, ModelReply, Served, ToolCall, Usage } from "../../../contract/messages.ts";
import { ModelError } from "../../../contract/model-error.ts";
import { isObject, type Json, type JsonObject } from "../../../json.ts";
import { beyondCaps, cutAtReplyCap, replyBudget, replyCaps, tokens } from "../../reply-caps.ts";
import { callsFrom, keptOf } from "../call-args.ts";

/** An item as it grows: `item` is the latest copy of it, the rest what its deltas have said. */
interface Growing {
  item: Readonly<Record<string, unknown>>;
  text: string;
  thought: string;
  json: string;
}
/** Items that are read of one reply. */
const mostItems = 1_000;

export interface ResponsesReply extends Omit<ModelReply, "usage" | "costUsd" | "served"> {
  /** undefined where the server did not say. */
  readonly usage: Usage | undefined;
  readonly served: Served;
}

/**
 * Puts a reply together from the events of one stream, or from one whole response. `take` throws the SDK's `APIError` for an error that comes after the
 * status 200, in either of its two forms; `finish` throws `ModelError` for what is no answer.
 */
export function responsesReply(o: { who: string; turn: number; onText?: (delta: string) => void }): {
  take(event: unknown): void;
  /** The reply has more than is read; what follows in the stream counts no more. */
  readonly full: boolean;
  finish(): ResponsesReply;
} {
  const budget = replyBudget();
  const growing = new Map<number, Growing>();
  let last: Readonly<Record<string, unknown>> = {};
  let ended = false;

  const open = (index: number): Growing | undefined => {
    const known = growing.get(index);
    if (known !== undefined) return known;
    if (growing.size >= mostItems) {
      budget.fill();
      return undefined;
    }
    const opened = { item: {}, text: "", thought: "", json: "" };
    growing.set(index, opened);
    return opened;
  };
  const said = (at: Growing, text: string): void => {
    at.text += text;
    if (text !== "") o.onText?.(text);
  };
  /** The final copy of an item has all of it; what its deltas said of it has been counted already. */
  const done = (index: number, given: unknown): void => {
    const at = open(index);
    if (at === undefined || !isObject(given)) return;
    at.item = given;
    if (at.text === "") said(at, budget.take(textsIn(given["content"], "output_text", "refusal")));
    if (at.thought === "") at.thought = budget.take(thoughtIn(given));
    if (at.json === "") at.json = budget.take(given["arguments"]);
  };
  const end = (response: unknown): void => {
    if (!isObject(response)) return;
    last = response;
    ended = true;
    const items = Array.isArray(response["output"]) ? (response["output"] as unknown[]) : [];
    for (const [index, item] of items.entries()) {
      if (!growing.get(index)?.item["type"]) done(index, item);
      else if (isObject(item)) addEncrypted(growing.get(index), item);
    }
  };

  return {
    get full() {
      return budget.full;
    },
    take(raw) {
      const event: Readonly<Record<string, unknown>> = isObject(raw) ? raw : {};
      const { type, response, delta, item, output_index } = event;
      const index = typeof output_index === "number" ? output_index : 0;
      // A server that does not stream sends the response itself.
      if (type === undefined && event["object"] === "response")
        return this.take({ type: `response.${String(event["status"])}`, response: event });
      if (type === "error") throw failed(event);
      if (type === "response.failed") throw failed(isObject(response) ? response["error"] : undefined);
      if (type === "response.created" && isObject(response)) last = response;
      else if (type === "response.output_item.added" && isObject(item)) open(index);
      else if (type === "response.output_item.done") done(index, item);
      else if (type === "response.completed" || type === "response.incomplete") end(response);
      else if (typeof delta === "string" && typeof type === "string") {
        const at = open(index);
        if (at === undefined) return;
        if (type === "response.output_text.delta" || type === "response.refusal.delta") said(at, budget.take(delta));
        else if (/^response\.reasoning_(summary_)?text\.delta$/.test(type)) at.thought += budget.take(delta);
        else if (type === "response.function_call_arguments.delta") at.json += budget.take(delta);
      }
    },
    finish() {
      if (!ended && !budget.full) throw new ModelError("stream", `${o.who} broke off before the end of its reply.`);
      const grown = [...growing.entries()].sort(([a], [b]) => a - b).map(([, at]) => at);
      const { content, calls, refused } = partsOf(grown, o);
      const message = { role: "assistant" as const, content };
      return {
        message: budget.full ? keptOf(message) : message,
        calls,
        usage: usageOf(last["usage"]),
        stop: budget.full ? "length" : refused ? "refusal" : stopOf(last, calls.length),
        ...(budget.full ? { cutAt: cutAtReplyCap } : {}),
        served: servedOf(last),
      };
    },
  };
}

/** npm openai 7.57.0 declares an error's fields on the event itself; recorded streams have them below `error`, which the SDK reads itself. */
function failed(error: unknown): Error {
  const { code, message, type }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  const words = typeof message === "string" ? message : "the response failed without a reason.";
  return new OpenAI.APIError(undefined, { code, message: words, ...(type === "error" ? {} : { type }) }, undefined, undefined);
}

/** Azure fills it in the last event alone: `@earendil-works/pi-ai` 1.5.2 `dist/api/openai-responses-shared.js`. */
function addEncrypted(at: Growing | undefined, final: Readonly<Record<string, unknown>>): void {
  if (at === undefined || at.item["encrypted_content"] != null || final["encrypted_content"] == null) return;
  at.item = { ...at.item, encrypted_content: final["encrypted_content"] };
}

/** What goes back of each item: reasoning whole but for its status, of a message and a call what their parts do not hold. */
function partsOf(
  grown: readonly Growing[],
  { who, turn }: { who: string; turn: number },
): { content: AssistantPart[]; calls: ToolCall[]; refused: boolean } {
  const uses = grown.filter(({ item }) => item["type"] === "function_call");
  const calls = callsFrom(
    uses.map(({ item, json }) => ({ id: item["call_id"], name: typeof item["name"] === "string" ? item["name"] : "", given: givenOf(item, json) })), // prettier-ignore
    turn,
  );
  const content: AssistantPart[] = [];
  let refused = false;
  let used = 0;
  for (const at of grown) {
    const { type, status: _status, content: spoken, arguments: _json, call_id: _id, name: _name, ...shape } = at.item;
    const opaque = (item: object): { opaque?: Json } => {
      const block = { type: "responses", by: who, item: item as JsonObject }; // parsed from JSON
      return beyondCaps(block) === undefined ? { opaque: block } : {};
    };
    if (type === "function_call") {
      const call = calls[used++];
      if (call !== undefined) content.push({ type: "call", ...nameOf(call), ...writtenOf(call, at.json), ...opaque({ type, ...shape }) });
    } else if (type === "message" || (type === undefined && at.text !== "")) {
      const refuses = textsIn(spoken, "refusal") !== "";
      refused ||= refuses;
      const block = type === undefined ? {} : opaque({ type, status: "completed", ...shape, ...(refuses ? { refusal: true } : {}) });
      if (at.text !== "") content.push({ type: "text", text: at.text, ...block });
    } else if (type === "reasoning") {
      // Without its encrypted content a server that keeps nothing could not read it.
      const whole = { type, ...shape, ...(spoken === undefined ? {} : { content: spoken }) };
      content.push({ type: "thinking", text: at.thought, ...(shape["encrypted_content"] == null ? {} : opaque(whole)) });
    }
  }
  return { content, calls, refused };
}

const nameOf = ({ id, name, args }: ToolCall): Pick<ToolCall, "id" | "name" | "args"> => ({ id, name, args });

/** Arguments that would go back in another spelling: the provider compares what comes back with what it sent. */
function writtenOf({ args }: ToolCall, json: string): { written?: string } {
  return json.trim() === "" || json.length > replyCaps.argumentBytes || json === JSON.stringify(args) ? {} : { written: json };
}

/** Some servers send the arguments as an object. */
const givenOf = (item: Readonly<Record<string, unknown>>, json: string): Json =>
  json === "" && item["arguments"] != null ? (item["arguments"] as Json) : json; // parsed from JSON

function textsIn(content: unknown, ...types: readonly string[]): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) => (isObject(part) && types.includes(String(part["type"])) ? (part["text"] ?? part["refusal"]) : ""))
    .filter((text) => typeof text === "string")
    .join("");
}

const thoughtIn = (item: Readonly<Record<string, unknown>>): string =>
  [textsIn(item["summary"], "summary_text"), textsIn(item["content"], "reasoning_text")].filter((text) => text !== "").join("\n");

function usageOf(usage: unknown): Usage | undefined {
  const counted = isObject(usage) ? usage : {};
  const [input, output] = [tokens(counted["input_tokens"]), tokens(counted["output_tokens"])];
  if (input === undefined || output === undefined) return undefined;
  const [read, wrote] = [counted["input_tokens_details"], counted["output_tokens_details"]];
  const cacheWrite = isObject(read) ? tokens(read["cache_write_tokens"]) : undefined;
  const reasoning = isObject(wrote) ? tokens(wrote["reasoning_tokens"]) : undefined;
  return {
    input,
    output,
    cached: (isObject(read) ? tokens(read["cached_tokens"]) : undefined) ?? 0,
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function stopOf({ incomplete_details }: Readonly<Record<string, unknown>>, calls: number): ModelReply["stop"] {
  const reason = isObject(incomplete_details) ? incomplete_details["reason"] : undefined;
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") return "refusal";
  return calls > 0 ? "calls" : "end";
}

function servedOf({ model, input_transformations }: Readonly<Record<string, unknown>>): Served {
  const changes: readonly unknown[] = Array.isArray(input_transformations) ? input_transformations : [];
  const removed = changes.flatMap((change) =>
    isObject(change) && change["action"] === "removed" ? [{ id: wordOf(change["id"]) ?? "", reason: wordOf(change["reason"]) ?? "" }] : [],
  );
  const named = wordOf(model);
  return { ...(named === undefined ? {} : { model: named }), ...(removed.length === 0 ? {} : { removed: removed.slice(0, mostItems) }) };
}

/** A name or a reason: what is longer is none. */
const wordOf = (value: unknown): string | undefined => (typeof value === "string" && value.length <= 1_000 ? value : undefined);
