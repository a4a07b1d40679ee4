import { z } from "zod";
import { callsIn, text, textOf, type AssistantPart, type Message, type Part } from "../../../contract/messages.ts";
import { parseCallArgs } from "../../providers/call-args.ts";
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
    const read = readBody(body, raw, wrongKey);
    const placed = placedMessages(read.messages);
    checkPairs(placed, {
      unanswered: (id, { at }) => ({
        words: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${id}`,
        param: `messages.[${at}].role`,
      }),
      uncalled: (_, { at }) => ({
        words: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", // spelt so there
        param: `messages.[${at}].role`,
      }),
    });
    const messages = placed.map(({ message }) => message);
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

  refusal(error, { requestId, model }): Refusal {
    if (error instanceof BadRequest) return { status: statusOfWrong[error.wrong.type], body: wrongBody(error.wrong) };
    const { status = 500, retryAfterMs } = error;
    if (error instanceof FullContext) {
      const words = `This model's maximum context length is ${error.mostTokens} tokens. However, your messages resulted in ${error.inputTokens} tokens. Please reduce the length of the messages.`;
      return { status: 400, body: errorBody(words, "invalid_request_error", "messages", "context_length_exceeded") };
    }
    if (error.kind === "overloaded") {
      const words = `That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists. (Please include the request ID ${requestId} in your message.)`;
      return { status: 503, body: errorBody(words, "server_error", null, null) };
    }
    if (error.kind !== "rate_limit") return { status, body: errorBody(error.message, "server_error", null, null) };
    const again = retryAfterMs === undefined ? "" : ` Please try again in ${retryAfterMs / 1_000}s.`;
    const words = `Rate limit reached for ${model} in organization ${organization} on requests per min (RPM): Limit 500, Used 500, Requested 1.${again} Visit https://platform.openai.com/account/rate-limits to learn more.`;
    return {
      status: 429,
      body: errorBody(words, "requests", null, "rate_limit_exceeded"),
      ...(retryAfterMs === undefined
        ? {}
        : { headers: { "retry-after": String(Math.ceil(retryAfterMs / 1_000)), "retry-after-ms": String(retryAfterMs) } }),
    };
  },
};

const errorBody = (words: string, type: string, param: string | null, code: string | null): object => ({
  error: { message: words, type, param, code },
});

/** Whoever asks belongs to it. */
const organization = "org-8mKx2VdTq0LwZr5YbNc7JhEs";

function wrongBody(wrong: Wrong): object {
  const refused = (words: string, param: string | null = null, code: string | null = null): object =>
    errorBody(words, "invalid_request_error", param, code);
  switch (wrong.type) {
    case "invalid":
      return refused(wrong.words, wrong.param, wrong.code);
    case "json":
      return refused(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
      );
    case "size":
      return refused(`Request body is too large. The maximum is ${wrong.mostBytes} bytes.`);
    case "model":
      return refused(`The model \`${wrong.name}\` does not exist or you do not have access to it. ${wrong.cure}`, null, "model_not_found");
    case "path":
      return refused(`Invalid URL (${wrong.method} ${wrong.path})`);
    case "method":
      return refused(
        `Not allowed to ${wrong.method} on ${wrong.path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
        null,
        "method_not_supported",
      );
  }
}

function wrongKey({ path, how, expected, came }: WrongKey): { words: string; param?: string; code?: string } {
  const param = path.map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`)).join("");
  if (path.length === 0) return { words: "Invalid body: expected a JSON object." };
  if (how === "missing") return { words: `Missing required parameter: '${param}'.`, param, code: "missing_required_parameter" };
  if (how === "empty")
    return {
      words: `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      param,
      code: "empty_array",
    };
  if (how === "value") return { words: `Invalid value for '${param}'.`, param, code: "invalid_value" };
  return {
    words: `Invalid type for '${param}': expected ${withArticle(expected ?? "")}, but got ${withArticle(came)} instead.`,
    param,
    code: "invalid_type",
  };
}

const withArticle = (type: string): string => (type === "null" ? type : `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`);

function placedMessages(list: z.infer<typeof body>["messages"]): Placed[] {
  const names = new Map<string, string>();
  const toMessages = (one: (typeof list)[number]): Message[] => {
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
  };
  return list.flatMap((one, at) => toMessages(one).map((each): Placed => ({ message: each, at })));
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
