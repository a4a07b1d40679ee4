import type { Json, JsonObject } from "../json.ts";
import type { Effort } from "./model-row.ts";

/** A part of a user's message or a tool's result. `data` of an image is base64. */
export type Part = { type: "text"; text: string } | { type: "image"; mediaType: string; data: string };

/**
 * A part of a model's message. `opaque` is the provider's own block of a thought, or what it adds to a text or a call: it goes back to that provider
 * unchanged and is never read or redacted. `written` is a call's arguments as the model wrote them, where JSON of `args` would differ.
 * With the text protocol there are no `call` parts: the call is in the text and only `ModelReply.calls` names it.
 */
export type AssistantPart =
  | { type: "text"; text: string; opaque?: Json }
  | { type: "thinking"; text: string; opaque?: Json }
  | { type: "call"; id: string; name: string; args: JsonObject; written?: string; opaque?: Json };

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly Part[];
}
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantPart[];
}
/** The result of one call of the assistant message before it. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly content: readonly Part[];
}
/** Provider-neutral: the same conversation goes to every provider and protocol. Messages are frozen once they are in a conversation. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export type ToolStatus = "ok" | "error" | "denied" | "timeout";

/** A named section of the system prompt. Order is meaning: stable sections first, so that prefixes stay cacheable. */
export interface Section {
  readonly name: string;
  readonly text: string;
}

/** What the model sees of a tool. `parameters` is JSON Schema. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** A call of the model. `error` is set by a protocol that could not parse it: the registry returns that text. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly error?: string;
}

/** What one tool call changed, decided in `harness/tools/effects.ts` alone. Paths are relative to the workdir where inside it. */
export interface Effects {
  readonly edited: readonly string[];
  readonly check?: Check;
}
/**
 * A test, build or type-check runner that a call really ran. `unknown`: neither its exit code nor its output shows how it went, and `why` names what hides it.
 * Runs recorded before there were three results have `passed`; `resultOf` reads both.
 */
export type Check =
  | {
      readonly command: string;
      readonly result: "passed" | "failed" | "unknown";
      readonly why?: "masked" | "chain" | "timeout" | "signal" | "contradicted";
    }
  | { readonly command: string; readonly passed: boolean };
export const resultOf = (check: Check): "passed" | "failed" | "unknown" =>
  "result" in check ? check.result : check.passed ? "passed" : "failed";

/** A tool's result. `error` is the reason in a word, for programs: `bad_arguments`, `unknown_tool`, `denied`, `not_found`, … */
export interface ToolReply {
  readonly status: ToolStatus;
  readonly content: readonly Part[];
  readonly effects: Effects;
  readonly error?: string;
}

/**
 * Tokens of one model call. `input` includes the cached ones; `cached` were read from the provider's cache, `cacheWrite` written to it. `output` includes
 * `reasoning`, as far as the provider counts it.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** One model call as middleware sees it. Frozen: pass a changed copy to `next`. */
export interface ModelCall {
  readonly system: readonly Section[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly params: ModelParams;
}
export interface ModelParams {
  readonly effort?: Effort;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens: number;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
  readonly stop: "end" | "calls" | "length" | "refusal";
  /** Where the harness itself stopped reading, such as `8 MB`: only the beginning of each text is kept, and `stop` is `length`. */
  readonly cutAt?: string;
  /** USD; null where no price is known (never 0 for unknown). */
  readonly costUsd: number | null;
  /** What actually replied, as far as the provider reports. */
  readonly served?: Served;
  /** What the request held of what a wire writes in its own way, and what was left out of it. */
  readonly sent?: JsonObject;
}

/** What replied. `removed`: earlier reasoning that the provider left out of what the model read, with its reason, such as `prefix_mismatch`. */
export interface Served {
  readonly model?: string;
  readonly fingerprint?: string;
  readonly requestId?: string;
  readonly removed?: readonly { readonly id: string; readonly reason: string }[];
}

/** The calls that are in a message as parts, as a reply lists them. */
export function callsIn({ content }: AssistantMessage): ToolCall[] {
  return content.flatMap((part) => (part.type === "call" ? [{ id: part.id, name: part.name, args: part.args }] : []));
}

/** The text of a message or reply, parts joined by newlines; images and calls are left out. */
export function textOf(content: readonly (Part | AssistantPart)[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
export const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });
export const userMessage = (value: string): UserMessage => ({ role: "user", content: [text(value)] });
