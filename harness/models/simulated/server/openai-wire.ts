import { z } from "zod";
import { callsIn, text, textOf, type AssistantPart, type Message, type Part } from "../../../agent/messages.ts";
import { parseCallArgs } from "../../call-args.ts";
import { simulatedFingerprint } from "../fingerprint.ts";
import { readBody } from "./read-body.ts";
import { BadRequest, checkPairs, sse, statusOf, type Asked, type Refusal, type Said, type Wire } from "./wire.ts";

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).nullish();
const call = z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) });
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer"]), content }),
  z.looseObject({ role: z.literal("user"), content }),
  z.looseObject({ role: z.literal("assistant"), content, tool_calls: z.array(call).nullish() }),
  z.looseObject({ role: z.literal("tool"), content, tool_call_id: z.string() }),
]);
const tool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({ name: z.string(), description: z.string().default(""), parameters: z.record(z.string(), z.json()).default({}) })
    .optional(),
});
const efforts = z.enum(["minimal", "low", "medium", "high", "xhigh"]);
const body = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(tool).nullish(),
  seed: z.int().nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  reasoning_effort: efforts.nullish().catch(null),
});

/** Where a request does not say how long an answer may be. */
const defaultLength = 16_384;

/** OpenAI's chat completions. */
export const openAiWire: Wire = {
  path: "/v1/chat/completions",
  requestIdHeader: "x-request-id",

  read(raw): Asked {
    const read = readBody(body, raw);
    const messages = messagesOf(read.messages);
    checkPairs(messages, {
      unanswered: (id) =>
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'; ${id} has none.`,
      uncalled: (id) => `Messages with role 'tool' must be a response to a preceding message with 'tool_calls'; ${id} is none.`,
    });
    const system = read.messages.flatMap((one) => (one.role === "system" || one.role === "developer" ? [plain(one.content)] : []));
    return {
      model: read.model,
      stream: read.stream ?? false,
      withUsage: read.stream_options?.include_usage ?? false,
      ...(read.seed == null ? {} : { seed: read.seed }),
      request: {
        system: system.map((each, i) => ({ name: `system ${i + 1}`, text: each })),
        messages,
        tools: (read.tools ?? []).flatMap((one) =>
          one.function ? [{ name: one.function.name, description: one.function.description, parameters: one.function.parameters }] : [],
        ),
        params: {
          maxOutputTokens: read.max_completion_tokens ?? read.max_tokens ?? defaultLength,
          ...(read.reasoning_effort == null ? {} : { effort: read.reasoning_effort }),
        },
      },
    };
  },

  whole(said) {
    const { reply } = said;
    const calls = callsIn(reply.message).map((one) => ({
      id: one.id,
      type: "function",
      function: { name: one.name, arguments: JSON.stringify(one.args) },
    }));
    const spoken = textOf(reply.message.content);
    const thought = thinkingOf(said);
    const refused = reply.stop === "refusal";
    return {
      ...head(said, "chat.completion"),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: refused || spoken === "" ? null : spoken,
            refusal: refused ? spoken : null,
            ...(thought === "" ? {} : { reasoning_content: thought }),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: finishOf(said),
        },
      ],
      usage: usageOf(said),
    };
  },

  stream(said) {
    const { reply, asked, deltas } = said;
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      sse({ ...head(said, "chat.completion.chunk"), choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
    const key = reply.stop === "refusal" ? "refusal" : "content";
    return [
      chunk({ role: "assistant", content: "" }),
      ...deltas(thinkingOf(said)).map((piece) => chunk({ reasoning_content: piece })),
      ...deltas(textOf(reply.message.content)).map((piece) => chunk({ [key]: piece })),
      ...callsIn(reply.message).flatMap(({ id, name, args }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...deltas(JSON.stringify(args)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, finishOf(said)),
      ...(asked.withUsage ? [sse({ ...head(said, "chat.completion.chunk"), choices: [], usage: usageOf(said) })] : []),
      sse("[DONE]"),
    ];
  },

  refusal(error): Refusal {
    if (error instanceof BadRequest) {
      const code = error.status === 404 ? "model_not_found" : null;
      return { status: error.status, body: errorBody(error.message, "invalid_request_error", error.param, code) };
    }
    const { status = 500, retryAfterMs } = error;
    if (error.kind === "context")
      return { status: 400, body: errorBody(error.message, "invalid_request_error", "messages", "context_length_exceeded") };
    if (error.kind !== "rate_limit") return { status, body: errorBody(error.message, "server_error", null, null) };
    return {
      status,
      body: errorBody(error.message, "requests", null, "rate_limit_exceeded"),
      ...(retryAfterMs === undefined
        ? {}
        : { headers: { "retry-after": String(Math.ceil(retryAfterMs / 1_000)), "retry-after-ms": String(retryAfterMs) } }),
    };
  },
};

const errorBody = (words: string, type: string, param: string | null, code: string | null): object => ({
  error: { message: words, type, param, code },
});

function messagesOf(list: z.infer<typeof body>["messages"]): Message[] {
  const names = new Map<string, string>();
  return list.flatMap((one): Message[] => {
    if (one.role === "user") return [{ role: "user", content: partsOf(one.content) }];
    if (one.role === "tool") {
      const shown = plain(one.content);
      const callId = one.tool_call_id;
      return [{ role: "tool", callId, name: names.get(callId) ?? "", status: statusOf(shown, false), content: [text(shown)] }];
    }
    if (one.role !== "assistant") return [];
    const spoken = plain(one.content);
    const calls = (one.tool_calls ?? []).map((made): AssistantPart => {
      names.set(made.id, made.function.name);
      return { type: "call", id: made.id, name: made.function.name, args: parseCallArgs(made.function.name, made.function.arguments).args };
    });
    return [{ role: "assistant", content: [...(spoken === "" ? [] : [text(spoken)]), ...calls] }];
  });
}

type Content = z.infer<typeof content>;
const plain = (value: Content): string =>
  typeof value === "string" ? value : (value ?? []).flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");
const partsOf = (value: Content): Part[] =>
  typeof value === "string" ? [text(value)] : (value ?? []).flatMap((part) => (part.text === undefined ? [] : [text(part.text)]));

const head = ({ asked, id }: Said, object: string): object => ({
  id: `chatcmpl-${id}`,
  object,
  created: 0,
  model: asked.model,
  system_fingerprint: simulatedFingerprint,
});

function finishOf({ reply }: Said): string {
  if (reply.stop === "refusal") return "content_filter";
  return reply.stop === "length" ? "length" : callsIn(reply.message).length > 0 ? "tool_calls" : "stop";
}

const thinkingOf = ({ reply }: Said): string =>
  reply.message.content.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("\n");

const usageOf = ({ reply: { usage } }: Said): object => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
});
