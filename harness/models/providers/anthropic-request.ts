import type Anthropic from "@anthropic-ai/sdk";
import type { AssistantPart, Message, Part, Section, ToolMessage, ToolSchema } from "../../contract/messages.ts";
import type { ModelRequest } from "../../contract/ports.ts";
import { ModelError } from "../../contract/model-error.ts";
import type { ModelRow } from "../../contract/model-row.ts";
import type { JsonObject } from "../../json.ts";
import { callNames } from "./call-args.ts";
import { anthropicEffort, type AnthropicEffort } from "./effort.ts";

type Block = Anthropic.ContentBlockParam;
interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}
type Marked = { cache_control?: Anthropic.CacheControlEphemeral };
const marker: Marked = { cache_control: { type: "ephemeral" } };

/**
 * The body of `POST /v1/messages`. The order of its keys and parts depends on nothing but the conversation, so the body of one turn is,
 * markers aside, a prefix of the next one's. At most four cache markers: after the tools, after the stable part of the system prompt,
 * after all of it, and at the end of the conversation so far. Throws `ModelError` of kind `parameter` for sampling that a middleware set: the API takes
 * none of any model since its version 2026-10-21, which the SDK sends (platform.claude.com, "API versioning"). `without`: what is left out of it, because the server refused it.
 */
export function anthropicRequest(
  model: string,
  request: ModelRequest,
  row: ModelRow | undefined,
  extra: JsonObject = {},
  without: ReadonlySet<string> = new Set(),
): Anthropic.MessageCreateParamsStreaming {
  const { params } = request;
  const sampling = (["temperature", "topP"] as const).find((name) => params[name] !== undefined);
  if (sampling !== undefined) {
    const words = `anthropic/${model} takes no sampling parameters, and a middleware set ${sampling}; take that out of the middleware.`;
    throw new ModelError("parameter", words);
  }
  const mark = without.has("cache_control") ? {} : marker;
  const display = without.has("thinking.display") ? {} : { display: "summarized" };
  const effort = params.effort === undefined ? { kind: "none" as const } : anthropicEffort(row, params.effort, params.maxOutputTokens);
  const body = {
    ...extra,
    model,
    max_tokens: params.maxOutputTokens,
    stream: true as const,
    ...(without.has("thinking") ? {} : thinkingOf(effort, display)),
    ...(effort.kind === "effort" && !without.has("output_config") ? { output_config: { effort: effort.level } } : {}),
    ...(request.tools.length === 0 ? {} : { tools: toolsOf(request.tools, mark) }),
    ...(request.system.some((section) => section.text.trim() !== "") ? { system: systemOf(request.system, mark) } : {}),
    messages: markedTail(messagesOf(request.messages, callNames(request.tools)), mark),
  };
  // The SDK's list of effort values ends where its version does; the table's goes on.
  return body as Anthropic.MessageCreateParamsStreaming;
}

function thinkingOf(effort: AnthropicEffort, display: { display?: string }): object {
  if (effort.kind === "effort") return { thinking: { type: "adaptive", ...display } };
  if (effort.kind === "disabled") return { thinking: { type: "disabled" } };
  return effort.kind === "budget" ? { thinking: { type: "enabled", budget_tokens: effort.tokens } } : {};
}

/**
 * What Forge adds by itself, and the words by which the API and servers that speak it refuse it. Sources: earendil-works/pi#7938 (`cache_control`),
 * anthropics/claude-code#30010 (effort), agentforce314/clawcodex#699 and handochan/aelix-ai#258 (thinking), fleetdm/fleet#49187 (`output_config`).
 */
const optional = [
  ["cache_control", /cache_control\b.*extra inputs are not permitted/i],
  ["thinking.display", /^thinking\.(?:\w+\.)?display\b/],
  ["output_config", /^output_config\b|does not support the effort parameter/i],
  ["thinking", /^thinking(?:\.type)?: |"thinking\.type\.\w+" is not supported|adaptive thinking is not supported/i],
] as const;

/** The parameter of Forge's own in this body that a server refused with these words; undefined where it refused something else. */
export function refusedOptional(
  body: Anthropic.MessageCreateParamsStreaming,
  refusal: string,
  without: ReadonlySet<string>,
): string | undefined {
  const name = optional.find(([, words]) => words.test(refusal))?.[0];
  if (name === undefined || without.has(name)) return undefined;
  return name === "cache_control" || Object.hasOwn(body, name.split(".")[0] ?? "") ? name : undefined;
}

/** What a request holds of what wires write in their own way, for the record. */
export function sentOf(
  { max_tokens, thinking, output_config }: Anthropic.MessageCreateParamsStreaming,
  without: ReadonlySet<string> = new Set(),
): JsonObject {
  const effort = output_config?.effort;
  return {
    wire: "messages",
    max_tokens,
    ...(thinking === undefined ? {} : { thinking: { ...thinking } }),
    ...(effort == null ? {} : { effort }),
    ...(without.size === 0 ? {} : { dropped: [...without] }),
  } as JsonObject; // plain JSON by the SDK's types
}

function toolsOf(tools: readonly ToolSchema[], mark: Marked): Anthropic.Tool[] {
  return tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" },
    ...(index === tools.length - 1 ? mark : {}),
  }));
}

/** Sections up to `behaviour` are the same in every run of a configuration, later ones (environment, memory) are the run's own. */
function systemOf(sections: readonly Section[], mark: Marked): Anthropic.TextBlockParam[] {
  const filled = sections.filter((section) => section.text.trim() !== "");
  const named = filled.findIndex((section) => section.name === "behaviour");
  const stable = named === -1 ? 0 : named;
  return filled.map((section, index) => ({
    type: "text",
    text: section.text,
    ...(index === stable || index === filled.length - 1 ? mark : {}),
  }));
}

/** Neighbours of the same role become one message: the results of parallel calls must answer them together. */
function messagesOf(messages: readonly Message[], nameOf: (name: string) => string): WireMessage[] {
  const out: WireMessage[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks =
      message.role === "assistant"
        ? message.content.flatMap((part) => assistantBlock(part, nameOf))
        : message.role === "tool"
          ? [toolResult(message)]
          : message.content.flatMap(userBlock);
    const last = out.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else out.push({ role, content: blocks });
  }
  // The API takes no empty message, and leaving one out would break the alternation; nor one that ends in thinking, which an answer cut in its thinking is.
  return out.map(({ role, content }) => {
    const last = content.at(-1);
    return last === undefined || isThinkingBlock(last)
      ? { role, content: [...content, { type: "text", text: "(nothing)" }] }
      : { role, content };
  });
}

/** Marks the end of the conversation so far, so that the next turn finds all of it in the cache. */
function markedTail(messages: readonly WireMessage[], mark: Marked): Anthropic.MessageParam[] {
  const tail = messages.findLastIndex(({ role }) => role === "user"); // a paused reply follows it
  return messages.map(({ role, content }, index) => {
    const block = index === tail ? content.at(-1) : undefined;
    if (block === undefined || block.type === "thinking" || block.type === "redacted_thinking") return { role, content };
    // Every kind of block made here takes a marker, thinking excepted; the union's type does not say so.
    return { role, content: [...content.slice(0, -1), { ...block, ...mark } as Block] };
  }) as Anthropic.MessageParam[]; // the SDK has one type a role, which a union of roles does not fit
}

function assistantBlock(part: AssistantPart, nameOf: (name: string) => string): Block[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type === "call") return [{ type: "tool_use", id: plainId(part.id), name: nameOf(part.name), input: part.args }];
  // Only what this provider signed, or its own tools did, goes back to it.
  return isThinkingBlock(part.opaque) || isToolBlock(part.opaque) ? [part.opaque] : [];
}

function isThinkingBlock(value: unknown): value is Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam {
  if (typeof value !== "object" || value === null) return false;
  return "type" in value && (value.type === "thinking" || value.type === "redacted_thinking");
}

/** Of a tool that the provider runs itself. */
function isToolBlock(value: unknown): value is Anthropic.ServerToolUseBlockParam | Anthropic.WebSearchToolResultBlockParam {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return false;
  return value.type === "server_tool_use" || value.type.endsWith("_tool_result");
}

function userBlock(part: Part): (Anthropic.TextBlockParam | Anthropic.ImageBlockParam)[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
  // The media types the API knows are a closed list there and an open one here; it says itself what it does not take.
  const media_type = part.mediaType as Anthropic.Base64ImageSource["media_type"];
  return [{ type: "image", source: { type: "base64", media_type, data: part.data } }];
}

function toolResult(message: ToolMessage): Anthropic.ToolResultBlockParam {
  return {
    type: "tool_result",
    tool_use_id: plainId(message.callId),
    content: message.content.flatMap(userBlock),
    ...(message.status === "ok" ? {} : { is_error: true }),
  };
}

/** Ids of another provider may have characters that this one refuses; the same ones become the same. */
function plainId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
