import type { AssistantPart, ModelReply, ToolCall, Usage } from "../../contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { callsFrom, keptOf } from "./call-args.ts";
import { ModelError } from "../../contract/model-error.ts";
import { beyondCaps, cutAtReplyCap, readArguments, replyBudget, type ReplyBudget, tokens } from "../reply-caps.ts";

/** What a stream's events may carry. Any field may be missing or of another type, whatever the documentation says: a compatible server wrote it. */
interface WireEvent {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly message?: unknown;
  readonly content_block?: unknown;
  readonly delta?: unknown;
  readonly usage?: unknown;
}
interface WireBlock {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
  readonly data?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
}
/** A block as it grows: `text` is text or thinking, `json` a call's arguments. */
interface Growing {
  readonly start: WireBlock;
  text: string;
  json: string;
  signature: string;
}
export interface AnthropicReply extends Omit<ModelReply, "usage" | "costUsd"> {
  /** undefined where the server did not say. */
  readonly usage: Usage | undefined;
  /** The provider's own tools take longer than one response: the message goes back as it is, and the reply goes on. */
  readonly paused: boolean;
}
/** Blocks that are read of one reply. */
const mostBlocks = 1_000;

/** Puts a reply together from the events of one stream. Throws `ModelError`: `stream` when it ended early, `context` when it ran full. */
export function anthropicReply(o: { who: string; turn: number; onText?: (delta: string) => void }): {
  take(event: unknown): void;
  /** The reply has more than is read; what follows in the stream counts no more. */
  readonly full: boolean;
  finish(): AnthropicReply;
} {
  const budget = replyBudget();
  const blocks = new Map<number, Growing>();
  let model: string | undefined;
  let fingerprint: string | undefined;
  let counted: Readonly<Record<string, unknown>> = {};
  let stopReason: string | undefined;
  let complete = false;

  const count = (usage: unknown): void => {
    if (!isObject(usage)) return;
    // A later count replaces an earlier one, but null means "as before".
    const numbers = Object.entries(usage).filter(([, value]) => typeof value === "number");
    const details = usage["output_tokens_details"];
    counted = { ...counted, ...Object.fromEntries(numbers), ...(isObject(details) ? { thinking: details["thinking_tokens"] } : {}) };
  };
  const wordOf = (value: unknown): string | undefined => (typeof value === "string" && value.length <= 1_000 ? value : undefined);
  return {
    get full() {
      return budget.full;
    },
    take(raw) {
      const event: WireEvent = isObject(raw) ? raw : {};
      const index = typeof event.index === "number" ? event.index : undefined;
      if (event.type === "message_start") {
        const message = isObject(event.message) ? event.message : {};
        model = wordOf(message["model"]);
        fingerprint = wordOf(message["system_fingerprint"]); // not of the API, but of servers that speak it
        count(message["usage"]);
      } else if (event.type === "content_block_start") {
        if (blocks.size >= mostBlocks) return budget.fill();
        blocks.set(index ?? blocks.size, opened(isObject(event.content_block) ? event.content_block : {}, budget));
      } else if (event.type === "content_block_delta") {
        const block = blocks.get(index ?? -1);
        if (block === undefined || !isObject(event.delta)) return;
        const { text, thinking, signature, partial_json } = event.delta;
        const said = budget.take(text);
        block.text += typeof text === "string" ? said : budget.take(thinking);
        block.signature += budget.take(signature);
        block.json += budget.take(partial_json);
        if (said !== "") o.onText?.(said);
      } else if (event.type === "message_delta") {
        stopReason = (isObject(event.delta) ? wordOf(event.delta["stop_reason"]) : undefined) ?? stopReason;
        count(event.usage);
      } else if (event.type === "message_stop") {
        complete = true;
      }
    },
    finish() {
      if (budget.full) stopReason = "max_tokens";
      if (!complete && stopReason === undefined) throw new ModelError("stream", `${o.who} broke off before the end of its reply.`);
      if (stopReason === "model_context_window_exceeded") {
        throw new ModelError("context", `${o.who}: the conversation fills the model's context window.`);
      }
      const grown = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
      const { content, calls } = partsOf(grown, o.turn);
      const message = { role: "assistant" as const, content };
      return {
        message: budget.full ? keptOf(message) : message,
        calls,
        usage: usageOf(counted),
        stop: stopOf(stopReason, calls.length),
        paused: stopReason === "pause_turn" && calls.length === 0 && content.length > 0,
        ...(budget.full ? { cutAt: cutAtReplyCap } : {}),
        ...(model === undefined ? {} : { served: { model, ...(fingerprint === undefined ? {} : { fingerprint }) } }),
      };
    },
  };
}

function opened(start: WireBlock, budget: ReplyBudget): Growing {
  const text = budget.take(start.text);
  return {
    start,
    text: typeof start.text === "string" ? text : budget.take(start.thinking),
    json: "",
    signature: budget.take(start.signature),
  };
}

function partsOf(blocks: readonly Growing[], turn: number): { content: AssistantPart[]; calls: ToolCall[] } {
  const uses = blocks.filter((block) => block.start.type === "tool_use");
  const given = uses.map(({ start: { id, name, input }, json }) => ({
    id,
    name: typeof name === "string" ? name : "",
    given: json === "" && input != null ? (input as Json) : json, // parsed from JSON
  }));
  const calls = callsFrom(given, turn);
  const content: AssistantPart[] = [];
  let used = 0;
  for (const block of blocks) {
    const { type, data } = block.start;
    if (type === "text" && block.text !== "") content.push({ type: "text", text: block.text });
    if (type === "thinking" && (block.text !== "" || block.signature !== "")) {
      const opaque: Json = { type: "thinking", thinking: block.text, signature: block.signature };
      // Without a signature the API would refuse it later, so it is kept for people alone.
      content.push({ type: "thinking", text: block.text, ...(block.signature === "" ? {} : { opaque }) });
    }
    if (type === "redacted_thinking")
      content.push({ type: "thinking", text: "", opaque: { type, data: typeof data === "string" ? data : "" } });
    // What the provider's own tools did goes back with the message.
    else if (isOwnBlock(block.start)) content.push({ type: "thinking", text: "", opaque: ownBlock(block) });
    const call = type === "tool_use" ? calls[used++] : undefined;
    if (call !== undefined) content.push({ type: "call", id: call.id, name: call.name, args: call.args });
  }
  return { content, calls };
}

const isOwnBlock = ({ type }: WireBlock): boolean =>
  typeof type === "string" && (type === "server_tool_use" || type.endsWith("_tool_result"));

function ownBlock({ start, json }: Growing): Json {
  const read = start.type === "server_tool_use" && json !== "" ? readArguments(json) : undefined;
  const block = { ...start, ...(read === undefined ? {} : { input: "args" in read ? read.args : {} }) } as JsonObject; // parsed from JSON
  return beyondCaps(block) === undefined ? block : null;
}

function usageOf(counted: Readonly<Record<string, unknown>>): Usage | undefined {
  const [input, output] = [tokens(counted["input_tokens"]), tokens(counted["output_tokens"])];
  if (input === undefined || output === undefined) return undefined;
  const cached = tokens(counted["cache_read_input_tokens"]) ?? 0;
  const cacheWrite = tokens(counted["cache_creation_input_tokens"]) ?? 0;
  const reasoning = tokens(counted["thinking"]);
  return { input: input + cached + cacheWrite, output, cached, cacheWrite, ...(reasoning === undefined ? {} : { reasoning }) };
}

function stopOf(reason: string | undefined, calls: number): ModelReply["stop"] {
  if (reason === "max_tokens" || (reason === "pause_turn" && calls === 0)) return "length"; // what is paused too often is cut
  if (reason === "refusal") return "refusal";
  return calls > 0 ? "calls" : "end";
}
