import { z } from "zod";
import { text, type AssistantPart, type Message } from "../../../contract/messages.ts";
import { simulatedFingerprint } from "../fingerprint.ts";
import { FullContext } from "../faults/full-context.ts";
import { readBody, type WrongKey } from "./read-body.ts";
import {
  BadRequest,
  checkPairs,
  sse,
  statusOf,
  statusOfWrong,
  type Asked,
  type Placed,
  type Refusal,
  type Said,
  type Wire,
  type Wrong,
} from "./wire.ts";

const textBlock = z.looseObject({ type: z.string(), text: z.string().optional() });
const resultContent = z.union([z.string(), z.array(textBlock)]).optional();
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.json()).optional(),
  tool_use_id: z.string().optional(),
  content: resultContent,
  is_error: z.boolean().nullish(),
});
const effort = z.enum(["minimal", "low", "medium", "high", "xhigh"]);
const body = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.union([z.string(), z.array(block)]) })).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.looseObject({ name: z.string(), description: z.string().default(""), input_schema: z.record(z.string(), z.json()).default({}) }),
    )
    .optional(),
  output_config: z.looseObject({ effort: effort.optional().catch(undefined) }).optional(),
});
type Block = z.infer<typeof block>;

/** Anthropic's messages. */
export const anthropicWire: Wire = {
  path: "/v1/messages",
  requestIdHeader: "request-id",

  read(raw): Asked {
    const read = readBody(body, raw, wrongKey);
    const placed = placedMessages(read.messages);
    checkPairs(placed, {
      unanswered: (id, { at }) => ({
        words: `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      }),
      uncalled: (id, { at, block: index = 0 }) => ({
        words: `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      }),
    });
    const messages = placed.map(({ message }) => message);
    const system = typeof read.system === "string" ? [read.system] : (read.system ?? []).flatMap((part) => part.text ?? []);
    const level = read.output_config?.effort;
    return {
      model: read.model,
      stream: read.stream ?? false,
      withUsage: true,
      request: {
        system: system.map((each, i) => ({ name: `system ${i + 1}`, text: each })),
        messages,
        tools: (read.tools ?? []).map(({ name, description, input_schema }) => ({ name, description, parameters: input_schema })),
        params: { maxOutputTokens: read.max_tokens, ...(level === undefined ? {} : { effort: level }) },
      },
    };
  },

  whole(said) {
    return {
      ...head(said),
      content: said.reply.message.content.map((part) => blockOf(part, said.id)),
      stop_reason: stopOf(said),
      stop_sequence: null,
      usage: usageOf(said),
    };
  },

  stream(said) {
    const { reply, deltas } = said;
    const event = (type: string, data: object): string => sse({ type, ...data }, type);
    return [
      event("message_start", {
        message: { ...head(said), content: [], stop_reason: null, stop_sequence: null, usage: { ...usageOf(said), output_tokens: 1 } },
      }),
      event("ping", {}),
      ...reply.message.content.flatMap((part, index) => [
        event("content_block_start", { index, content_block: emptyBlock(part, said.id) }),
        ...deltasOfPart(part, deltas, said.id).map((delta) => event("content_block_delta", { index, delta })),
        event("content_block_stop", { index }),
      ]),
      event("message_delta", { delta: { stop_reason: stopOf(said), stop_sequence: null }, usage: { output_tokens: reply.usage.output } }),
      event("message_stop", {}),
    ];
  },

  refusal(error, { requestId }): Refusal {
    const errorBody = (type: string, message: string): object => ({ type: "error", error: { type, message }, request_id: requestId });
    if (error instanceof BadRequest) {
      const [type, words] = wrongWords(error.wrong);
      return { status: statusOfWrong[error.wrong.type], body: errorBody(type, words) };
    }
    if (error instanceof FullContext) {
      const words = `prompt is too long: ${error.inputTokens} tokens > ${error.mostTokens} maximum`;
      return { status: 400, body: errorBody("invalid_request_error", words) };
    }
    if (error.kind === "overloaded") return { status: 529, body: errorBody("overloaded_error", "Overloaded") };
    if (error.kind !== "rate_limit") return { status: error.status ?? 500, body: errorBody("api_error", error.message) };
    const { retryAfterMs } = error;
    return {
      status: 429,
      body: errorBody("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
      ...(retryAfterMs === undefined ? {} : { headers: { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) } }),
    };
  },
};

function wrongWords(wrong: Wrong): [type: string, words: string] {
  switch (wrong.type) {
    case "invalid":
      return ["invalid_request_error", wrong.words];
    case "json":
      return ["invalid_request_error", `The request body is not valid JSON: ${wrong.why}`];
    case "size":
      return ["request_too_large", "Request exceeds the maximum size"];
    case "model":
      return ["not_found_error", `model: ${wrong.name}. ${wrong.cure}`];
    case "path":
      return ["not_found_error", "Not Found"];
    case "method":
      return ["invalid_request_error", "Method Not Allowed"];
  }
}

function wrongKey({ path, how, expected }: WrongKey): { words: string; param?: string } {
  const param = path.join(".");
  if (path.length === 0) return { words: "Input should be a valid dictionary or object" };
  if (how === "missing") return { words: `${param}: Field required`, param };
  if (how === "empty") return { words: `${param}: at least one is required`, param };
  if (how === "value" || expected === undefined) return { words: `${param}: Input is not valid`, param };
  const names: Readonly<Record<string, string>> = { array: "list", object: "dictionary", record: "dictionary" };
  return { words: `${param}: Input should be a valid ${names[expected] ?? expected}`, param };
}

/** Each block is a message of its own: what the harness says beside a result is then told apart from it. */
function placedMessages(list: z.infer<typeof body>["messages"]): Placed[] {
  const names = new Map<string, string>();
  return list.flatMap(({ role, content }, i): Placed[] => {
    const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role === "assistant") {
      const parts = blocks.flatMap((one): AssistantPart[] => {
        if (one.type === "text") return one.text === undefined ? [] : [text(one.text)];
        if (one.type !== "tool_use") return [];
        const { id, name } = one;
        if (id === undefined || name === undefined) throw lacking(i, id === undefined ? "id" : "name");
        names.set(id, name);
        return [{ type: "call", id, name, args: one.input ?? {} }];
      });
      return [{ message: { role, content: parts }, at: i }];
    }
    const toMessages = (one: Block): Message[] => {
      if (one.type === "text") return one.text === undefined ? [] : [{ role, content: [text(one.text)] }];
      if (one.type !== "tool_result") return [];
      const callId = one.tool_use_id;
      if (callId === undefined) throw lacking(i, "tool_use_id");
      const shown = typeof one.content === "string" ? one.content : (one.content ?? []).flatMap((part) => part.text ?? []).join("\n");
      return [
        { role: "tool", callId, name: names.get(callId) ?? "", status: statusOf(shown, one.is_error === true), content: [text(shown)] },
      ];
    };
    return blocks.flatMap((one, index) => toMessages(one).map((each): Placed => ({ message: each, at: i, block: index })));
  });
}

const lacking = (at: number, key: string): BadRequest =>
  new BadRequest({ type: "invalid", words: `messages.${at}.content: ${key}: Field required` });

const head = ({ asked, id }: Said): object => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model: asked.model,
  system_fingerprint: simulatedFingerprint,
});

function blockOf(part: AssistantPart, id: string): object {
  if (part.type === "text") return part;
  if (part.type === "thinking") return { type: "thinking", thinking: part.text, signature: `sim-${id}` };
  return { type: "tool_use", id: part.id, name: part.name, input: part.args };
}
function emptyBlock(part: AssistantPart, id: string): object {
  if (part.type === "text") return { type: "text", text: "" };
  return part.type === "thinking" ? { type: "thinking", thinking: "", signature: "" } : { ...blockOf(part, id), input: {} };
}
function deltasOfPart(part: AssistantPart, deltas: Said["deltas"], id: string): object[] {
  if (part.type === "text") return deltas(part.text).map((piece) => ({ type: "text_delta", text: piece }));
  if (part.type === "call") return deltas(JSON.stringify(part.args)).map((piece) => ({ type: "input_json_delta", partial_json: piece }));
  return [
    ...deltas(part.text).map((piece) => ({ type: "thinking_delta", thinking: piece })),
    { type: "signature_delta", signature: `sim-${id}` },
  ];
}

function stopOf({ reply }: Said): string {
  if (reply.stop === "refusal") return "refusal";
  return reply.stop === "length" ? "max_tokens" : reply.calls.length > 0 ? "tool_use" : "end_turn";
}

/** Cached tokens are not part of `input_tokens` on this wire. */
const usageOf = ({ reply: { usage } }: Said): object => ({
  input_tokens: usage.input - usage.cached,
  cache_read_input_tokens: usage.cached,
  cache_creation_input_tokens: 0,
  output_tokens: usage.output,
});
