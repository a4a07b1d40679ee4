import type { AssistantPart, ModelReply, ToolCall, Usage } from "../../contract/messages.ts";
import type { Json } from "../../json.ts";
import { distinctIds, parseCallArgs } from "./call-args.ts";
import { ModelError } from "../../contract/model-error.ts";

/** What a stream's events may carry. Every field may be missing, whatever the documentation says: a compatible server wrote it. */
interface WireEvent {
  readonly type?: string;
  readonly index?: number;
  readonly message?: { readonly model?: string; readonly system_fingerprint?: string; readonly usage?: WireUsage | null };
  readonly content_block?: WireBlock;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string | null;
  };
  readonly usage?: WireUsage | null;
}
interface WireUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}
interface WireBlock {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Json;
}
/** A block as it grows: `text` is text or thinking, `json` a call's arguments. */
interface Growing {
  readonly start: WireBlock;
  text: string;
  json: string;
  signature: string;
}

/** Puts a reply together from the events of one stream. Throws `ModelError`: `stream` when it ended early, `context` when it ran full. */
export function anthropicReply(o: { who: string; turn: number; onText?: (delta: string) => void }): {
  take(event: unknown): void;
  /** `usage` is undefined where the server did not say. */
  finish(): Omit<ModelReply, "usage" | "costUsd"> & { usage: Usage | undefined };
} {
  const blocks = new Map<number, Growing>();
  let model: string | undefined;
  let fingerprint: string | undefined;
  let counted: WireUsage | undefined;
  let stopReason: string | undefined;
  let complete = false;

  const count = (usage: WireUsage | null | undefined): void => {
    if (usage == null) return;
    // A later count replaces an earlier one, but null means "as before".
    const told = Object.entries(usage).filter(([, value]) => typeof value === "number");
    counted = { ...counted, ...Object.fromEntries(told) };
  };
  return {
    take(raw) {
      const event = (raw ?? {}) as WireEvent; // all its fields are optional and checked where they are used
      if (event.type === "message_start") {
        model = event.message?.model;
        fingerprint = event.message?.system_fingerprint; // not of the API, but of servers that speak it
        count(event.message?.usage);
      } else if (event.type === "content_block_start") {
        const start = event.content_block ?? {};
        const text = start.text ?? start.thinking ?? "";
        blocks.set(event.index ?? blocks.size, { start, text, json: "", signature: start.signature ?? "" });
      } else if (event.type === "content_block_delta") {
        const block = blocks.get(event.index ?? -1);
        if (block === undefined) return;
        const { text, thinking, signature, partial_json } = event.delta ?? {};
        block.text += text ?? thinking ?? "";
        block.signature += signature ?? "";
        block.json += partial_json ?? "";
        if (text) o.onText?.(text);
      } else if (event.type === "message_delta") {
        stopReason = event.delta?.stop_reason ?? stopReason;
        count(event.usage);
      } else if (event.type === "message_stop") {
        complete = true;
      }
    },
    finish() {
      if (!complete && stopReason === undefined) throw new ModelError("stream", `${o.who} broke off before the end of its answer.`);
      if (stopReason === "model_context_window_exceeded") {
        throw new ModelError("context", `${o.who}: the conversation fills the model's context window.`);
      }
      const grown = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
      const { content, calls } = partsOf(grown, o.turn);
      return {
        message: { role: "assistant", content },
        calls,
        usage: usageOf(counted),
        stop: stopOf(stopReason, calls.length),
        ...(model === undefined ? {} : { served: { model, ...(fingerprint === undefined ? {} : { fingerprint }) } }),
      };
    },
  };
}

function partsOf(blocks: readonly Growing[], turn: number): { content: AssistantPart[]; calls: ToolCall[] } {
  const uses = blocks.filter((block) => block.start.type === "tool_use");
  const ids = distinctIds(
    uses.map((block) => block.start.id),
    turn,
  );
  const content: AssistantPart[] = [];
  const calls: ToolCall[] = [];
  for (const block of blocks) {
    const { type, data, name = "", input } = block.start;
    if (type === "text" && block.text !== "") content.push({ type: "text", text: block.text });
    if (type === "thinking" && (block.text !== "" || block.signature !== "")) {
      const opaque: Json = { type: "thinking", thinking: block.text, signature: block.signature };
      // Without a signature the API would refuse it later, so it is kept for people alone.
      content.push({ type: "thinking", text: block.text, ...(block.signature === "" ? {} : { opaque }) });
    }
    if (type === "redacted_thinking") content.push({ type: "thinking", text: "", opaque: { type, data: data ?? "" } });
    if (type === "tool_use") {
      const id = ids[uses.indexOf(block)] ?? "";
      const parsed = parseCallArgs(name, block.json === "" && input !== undefined ? JSON.stringify(input) : block.json);
      content.push({ type: "call", id, name, args: parsed.args });
      calls.push({ id, name, ...parsed });
    }
  }
  return { content, calls };
}

function usageOf(counted: WireUsage | undefined): Usage | undefined {
  if (typeof counted?.input_tokens !== "number" || typeof counted.output_tokens !== "number") return undefined;
  const cached = counted.cache_read_input_tokens ?? 0;
  const cacheWrite = counted.cache_creation_input_tokens ?? 0;
  return { input: counted.input_tokens + cached + cacheWrite, output: counted.output_tokens, cached, cacheWrite };
}

function stopOf(reason: string | undefined, calls: number): ModelReply["stop"] {
  if (reason === "max_tokens") return "length";
  if (reason === "refusal") return "refusal";
  return calls > 0 ? "calls" : "end";
}
