import type OpenAI from "openai";
import { type AssistantMessage, type Message, type Part, type ToolMessage, textOf } from "../../contract/messages.ts";
import type { ModelRequest } from "../../contract/ports.ts";
import type { JsonObject } from "../../json.ts";
import { callNames } from "./call-args.ts";
import { openAiEffort } from "./effort.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;

/** What a server has refused so far, or what is known of it: how the next request to it differs. */
export interface Dialect {
  /** Parameters it does not take. */
  readonly without: ReadonlySet<"stream_options" | "seed" | "reasoning_effort">;
  /** How it calls the longest answer. */
  readonly lengthKey: "max_tokens" | "max_completion_tokens";
}

/** The body of `POST /v1/chat/completions`, a function of the conversation and the dialect alone. */
export function openAiRequest(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
  extra: JsonObject = {},
): OpenAI.ChatCompletionCreateParamsStreaming {
  const { params, seed } = request;
  const effort = params.effort === undefined || dialect.without.has("reasoning_effort") ? undefined : openAiEffort(model, params.effort);
  return {
    ...extra,
    model,
    stream: true,
    ...(dialect.without.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
    [dialect.lengthKey]: params.maxOutputTokens,
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.topP === undefined ? {} : { top_p: params.topP }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(seed === undefined || dialect.without.has("seed") ? {} : { seed }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function" as const,
            function: { name, description, parameters },
          })),
        }),
    messages: messagesOf(request),
  };
}

/** The dialect to try next when a server refused a request with these words; undefined when it refused something that must stay. */
export function dialectAfter(dialect: Dialect, refusal: string): Dialect | undefined {
  const { without, lengthKey } = dialect;
  if (/max_completion_tokens/.test(refusal) && lengthKey === "max_tokens") return { without, lengthKey: "max_completion_tokens" };
  if (/max_completion_tokens/.test(refusal) && lengthKey === "max_completion_tokens") return { without, lengthKey: "max_tokens" };
  const optional = [
    ["stream_options", /stream_options|include_usage/],
    ["reasoning_effort", /reasoning_effort|does not support thinking/],
    ["seed", /\bseed\b/],
  ] as const;
  for (const [name, pattern] of optional) {
    if (pattern.test(refusal) && !without.has(name)) return { without: new Set([...without, name]), lengthKey };
  }
  return undefined;
}

function messagesOf(request: ModelRequest): WireMessage[] {
  const nameOf = callNames(request.tools);
  const system = request.system.map((section) => section.text).filter((text) => text !== "");
  const out: WireMessage[] = system.length === 0 ? [] : [{ role: "system", content: system.join("\n\n") }];
  for (const [index, message] of request.messages.entries()) {
    if (message.role === "assistant") out.push(assistant(message, nameOf));
    else if (message.role === "user") out.push({ role: "user", content: userContent(message.content) });
    else {
      out.push({ role: "tool", tool_call_id: message.callId, content: resultText(message) });
      // A tool's message takes no image on this wire: those of one turn follow its last result.
      if (request.messages[index + 1]?.role !== "tool") out.push(...imagesOf(request.messages, index));
    }
  }
  return out;
}

/** Reasoning goes back in the fields it came in, for the servers that ask for it. */
function assistant(message: AssistantMessage, nameOf: (name: string) => string): WireMessage {
  const calls = message.content.flatMap((part) =>
    part.type === "call"
      ? [{ type: "function" as const, id: part.id, function: { name: nameOf(part.name), arguments: JSON.stringify(part.args) } }]
      : [],
  );
  const text = textOf(message.content);
  const reasoning = message.content.flatMap((part) => (part.type === "thinking" ? [reasoningFields(part.opaque)] : []));
  return Object.assign(
    { role: "assistant" as const, content: text === "" && calls.length > 0 ? null : text },
    ...reasoning,
    calls.length === 0 ? {} : { tool_calls: calls },
  ) as WireMessage; // Object.assign of a spread list has no type of its own
}

/** Only what came over this wire goes back over it. */
function reasoningFields(opaque: unknown): object {
  if (typeof opaque !== "object" || opaque === null || !("type" in opaque) || opaque.type !== "reasoning") return {};
  const { type: _, ...fields } = opaque;
  return fields;
}

function resultText(message: ToolMessage): string {
  const images = message.content.filter((part) => part.type === "image").length;
  const text = textOf(message.content);
  return images === 0 ? text : `${text}\n(${images === 1 ? "an image follows" : `${images} images follow`} below)`.trim();
}

/** The images of the tool messages that end at `last`. */
function imagesOf(messages: readonly Message[], last: number): WireMessage[] {
  let first = last;
  while (messages[first - 1]?.role === "tool") first--;
  const images = messages
    .slice(first, last + 1)
    .flatMap((message) => (message.role === "tool" ? message.content.filter((part) => part.type === "image") : []));
  return images.length === 0 ? [] : [{ role: "user", content: userContent(images) }];
}

/** Text alone goes as a string, which every server takes. */
function userContent(parts: readonly Part[]): string | OpenAI.ChatCompletionContentPart[] {
  if (parts.every((part) => part.type === "text")) return textOf(parts);
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  );
}
