import type { AssistantPart, ModelReply, ToolCall, Usage } from "../../contract/messages.ts";
import type { Json, JsonObject } from "../../json.ts";
import { distinctIds, parseCallArgs } from "./call-args.ts";
import { ModelError } from "../../contract/model-error.ts";

/** What a chunk, or a whole completion, may carry. Every field may be missing: some server somewhere leaves it out. */
interface WireChunk {
  readonly model?: string;
  readonly system_fingerprint?: string | null;
  readonly choices?: readonly {
    readonly delta?: WireDelta | null;
    readonly message?: WireDelta | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: WireUsage | null;
}
interface WireDelta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly JsonObject[] | null;
  readonly tool_calls?: readonly WireCall[] | null;
}
interface WireCall {
  readonly index?: number;
  readonly id?: string | null;
  /** Some servers send the arguments as an object. */
  readonly function?: { readonly name?: string | null; readonly arguments?: Json } | null;
}
interface WireUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null; readonly cache_write_tokens?: number | null } | null;
  /** OpenRouter: what it charged, in USD. */
  readonly cost?: number | null;
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
  finish(): OpenAiReply;
} {
  let text = "";
  let thinking = "";
  let refusal = "";
  const reasoning: Record<string, Json> = {};
  const calls = new Map<number, { id: string; name: string; json: string }>();
  let model: string | undefined;
  let fingerprint: string | undefined;
  let usage: WireUsage | undefined;
  let finishReason: string | undefined;
  let seen = 0;

  const takeDelta = (delta: WireDelta): void => {
    if (delta.content) {
      text += delta.content;
      o.onText?.(delta.content);
    }
    refusal += delta.refusal ?? "";
    thinking += delta.reasoning_content ?? delta.reasoning ?? "";
    for (const field of ["reasoning_content", "reasoning"] as const) {
      if (delta[field]) reasoning[field] = `${(reasoning[field] as string | undefined) ?? ""}${delta[field]}`; // only strings are put there
    }
    for (const detail of delta.reasoning_details ?? []) joinDetail(reasoning, detail);
    for (const piece of delta.tool_calls ?? []) {
      // A server that counts nothing opens a new call with each new id.
      const last = calls.size - 1;
      const index = piece.index ?? (piece.id && calls.get(last)?.id !== piece.id ? calls.size : Math.max(last, 0));
      const call = calls.get(index) ?? { id: "", name: "", json: "" };
      const args = piece.function?.arguments;
      const json = typeof args === "string" ? args : args == null ? "" : JSON.stringify(args);
      calls.set(index, { id: call.id || (piece.id ?? ""), name: call.name + (piece.function?.name ?? ""), json: call.json + json });
    }
  };
  return {
    take(raw) {
      const next = (raw ?? {}) as WireChunk; // all its fields are optional and checked where they are used
      model = next.model ?? model;
      fingerprint = next.system_fingerprint ?? fingerprint;
      usage = next.usage ?? usage;
      const choice = next.choices?.[0];
      if (choice === undefined) return;
      seen++;
      takeDelta(choice.delta ?? choice.message ?? {});
      finishReason = choice.finish_reason ?? finishReason;
    },
    finish() {
      if (seen === 0) throw new ModelError("server", `${o.who} answered without a choice in it.`);
      if (finishReason === undefined) throw new ModelError("stream", `${o.who} broke off before the end of its answer.`);
      const content: AssistantPart[] = [];
      if (Object.keys(reasoning).length > 0)
        content.push({ type: "thinking", text: thinking, opaque: { type: "reasoning", ...reasoning } });
      const said = text === "" ? refusal : text;
      if (said !== "") content.push({ type: "text", text: said });
      const called = callsOf(
        [...calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => call),
        o.turn,
      );
      content.push(...called.map(({ id, name, args }) => ({ type: "call" as const, id, name, args })));
      return {
        message: { role: "assistant", content },
        calls: called,
        usage: usageOf(usage),
        charged: typeof usage?.cost === "number" ? usage.cost : undefined,
        stop: refusal !== "" ? "refusal" : stopOf(finishReason, called.length),
        served: {
          ...(model === undefined ? {} : { model }),
          ...(fingerprint === undefined ? {} : { fingerprint }),
        },
      };
    },
  };
}

function callsOf(calls: readonly { id: string; name: string; json: string }[], turn: number): ToolCall[] {
  const ids = distinctIds(
    calls.map((call) => call.id),
    turn,
  );
  return calls.map(({ name, json }, index) => ({ id: ids[index] ?? "", name, ...parseCallArgs(name, json) }));
}

/** Details of reasoning come in pieces; those of one index are one detail, and must go back whole. */
function joinDetail(reasoning: Record<string, Json>, piece: JsonObject): void {
  const details = (reasoning["reasoning_details"] ??= []) as JsonObject[]; // only such lists are put there
  const earlier = details.find((detail) => detail["index"] === piece["index"] && detail["type"] === piece["type"]);
  if (earlier === undefined || piece["index"] === undefined) return void details.push({ ...piece });
  for (const [key, value] of Object.entries(piece)) {
    const grows = ["text", "summary", "data"].includes(key) && typeof value === "string" && typeof earlier[key] === "string";
    if (grows) earlier[key] = `${String(earlier[key])}${value}`;
    else if (value !== null) earlier[key] = value;
  }
}

function usageOf(usage: WireUsage | undefined): Usage | undefined {
  if (typeof usage?.prompt_tokens !== "number" || typeof usage.completion_tokens !== "number") return undefined;
  const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details ?? {};
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: cached_tokens ?? 0,
    ...(cache_write_tokens == null ? {} : { cacheWrite: cache_write_tokens }),
  };
}

function stopOf(reason: string, calls: number): ModelReply["stop"] {
  if (reason === "length") return "length";
  if (reason === "content_filter") return "refusal";
  return calls > 0 ? "calls" : "end";
}
