import type OpenAI from "openai";
import { type AssistantMessage, type Message, type Part, type ToolMessage, textOf } from "../../contract/messages.ts";
import type { ModelRequest } from "../../contract/ports.ts";
import type { JsonObject } from "../../json.ts";
import { callNames } from "./call-args.ts";
import type { ModelRow } from "../../contract/model-row.ts";
import { openAiEffort } from "./effort.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;

/** How the next request to a server is written: what is known of the model, and what the server has refused so far. */
export interface Dialect {
  readonly row: ModelRow | undefined;
  /** Parameters that are left out. */
  readonly without: ReadonlySet<string>;
  /** The server takes a seed. Left out: it does. */
  readonly takesSeed?: boolean;
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
  const { row, without, lengthKey, takesSeed = true } = dialect;
  // Some models take tools here with this effort alone, and refuse a request that says nothing of it.
  const asked = row?.chatTools && request.tools.length > 0 ? row.chatTools : params.effort;
  const effort = asked === undefined || without.has("reasoning_effort") ? undefined : openAiEffort(row, asked);
  const body = {
    ...extra,
    model,
    stream: true as const,
    ...(without.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
    [lengthKey]: params.maxOutputTokens,
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.topP === undefined ? {} : { top_p: params.topP }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(seed === undefined || !takesSeed || without.has("seed") ? {} : { seed }),
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
  // The SDK's list of effort values ends where its version does; the table's goes on.
  return body as OpenAI.ChatCompletionCreateParamsStreaming;
}

/** What Forge adds by itself, and the words by which servers refuse it. */
const optional = [
  ["max_completion_tokens", /max_completion_tokens/],
  ["stream_options", /stream_options|include_usage/],
  ["reasoning_effort", /reasoning_effort|does not support thinking|invalid reasoning value/],
  ["seed", /\bseed\b/],
] as const;

/** The parameter of Forge's own that a server refused with these words; undefined when it refused something that must stay. */
export function refusedOptional({ without, lengthKey }: Dialect, refusal: string): string | undefined {
  const name = optional.find(([, pattern]) => pattern.test(refusal))?.[0];
  // A server that names the newer word wants it instead of the older one, or does not know it.
  if (name === "max_completion_tokens") return without.has(lengthKey) ? undefined : lengthKey;
  return name === undefined || without.has(name) ? undefined : name;
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
      ? [
          {
            type: "function" as const,
            id: part.id,
            function: { name: nameOf(part.name), arguments: JSON.stringify(part.args) },
            ...ownFields(part.opaque, "tool_call"),
          },
        ]
      : [],
  );
  const text = textOf(message.content);
  const reasoning = message.content.flatMap((part) => (part.type === "thinking" ? [ownFields(part.opaque, "reasoning")] : []));
  return Object.assign(
    { role: "assistant" as const, content: text === "" && calls.length > 0 ? null : text },
    ...reasoning,
    calls.length === 0 ? {} : { tool_calls: calls },
  ) as WireMessage; // Object.assign of a spread list has no type of its own
}

/** Only what came over this wire goes back over it. */
function ownFields(opaque: unknown, kind: "reasoning" | "tool_call"): object {
  if (typeof opaque !== "object" || opaque === null || !("type" in opaque) || opaque.type !== kind) return {};
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

/** What a request of this dialect holds of what wires write in their own way, for the record. */
export function sentOf(dialect: Dialect, request: ModelRequest): JsonObject {
  const { reasoning_effort } = openAiRequest("", { ...request, messages: [], system: [] }, dialect);
  return {
    wire: "chat",
    [dialect.lengthKey]: request.params.maxOutputTokens,
    ...(reasoning_effort == null ? {} : { reasoning_effort }),
    ...(dialect.without.size === 0 ? {} : { dropped: [...dialect.without] }),
  };
}
