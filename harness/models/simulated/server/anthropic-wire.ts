import { z } from "zod";
import { text, type AssistantPart, type Message } from "../../../agent/messages.ts";
import { simulatedFingerprint } from "../fingerprint.ts";
import { readBody } from "./read-body.ts";
import { BadRequest, checkPairs, sse, statusOf, type Asked, type Refusal, type Said, type Wire } from "./wire.ts";

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
    const read = readBody(body, raw);
    const messages = messagesOf(read.messages);
    checkPairs(messages, {
      unanswered: (id) => `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}.`,
      uncalled: (id) => `messages: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`,
    });
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

  refusal(error): Refusal {
    if (error instanceof BadRequest)
      return { status: error.status, body: errorBody(error.status === 404 ? "not_found_error" : "invalid_request_error", error.message) };
    if (error.kind === "context") return { status: 400, body: errorBody("invalid_request_error", error.message) };
    if (error.kind === "overloaded") return { status: 529, body: errorBody("overloaded_error", "Overloaded") };
    if (error.kind !== "rate_limit") return { status: error.status ?? 500, body: errorBody("api_error", error.message) };
    const { retryAfterMs } = error;
    return {
      status: 429,
      body: errorBody("rate_limit_error", error.message),
      ...(retryAfterMs === undefined ? {} : { headers: { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) } }),
    };
  },
};

const errorBody = (type: string, message: string): object => ({ type: "error", error: { type, message } });

/** Each block is a message of its own: what the harness says beside a result is then told apart from it. */
function messagesOf(list: z.infer<typeof body>["messages"]): Message[] {
  const names = new Map<string, string>();
  return list.flatMap(({ role, content }, i): Message[] => {
    const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role === "assistant") {
      const parts = blocks.flatMap((one): AssistantPart[] => {
        if (one.type === "text") return one.text === undefined ? [] : [text(one.text)];
        if (one.type !== "tool_use") return [];
        const { id, name } = one;
        if (id === undefined || name === undefined) throw new BadRequest(`messages.${i}.content: a tool_use block needs id and name`);
        names.set(id, name);
        return [{ type: "call", id, name, args: one.input ?? {} }];
      });
      return [{ role, content: parts }];
    }
    return blocks.flatMap((one): Message[] => {
      if (one.type === "text") return one.text === undefined ? [] : [{ role, content: [text(one.text)] }];
      if (one.type !== "tool_result") return [];
      const callId = one.tool_use_id;
      if (callId === undefined) throw new BadRequest(`messages.${i}.content: a tool_result block needs tool_use_id`);
      const shown = typeof one.content === "string" ? one.content : (one.content ?? []).flatMap((part) => part.text ?? []).join("\n");
      return [
        { role: "tool", callId, name: names.get(callId) ?? "", status: statusOf(shown, one.is_error === true), content: [text(shown)] },
      ];
    });
  });
}

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
