import { callsIn, textOf, type AssistantPart, type Message } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import { responsesReply } from "../../../harness/models/providers/responses/responses-reply.ts";
import { deltasOf } from "../../../harness/models/simulated/deltas.ts";
import { sse } from "../../../harness/models/simulated/server/wire.ts";
import type { GatewayWire, WrittenReply } from "./gateway-wire.ts";
import { argsOf, createNames, fieldsOf, lengthOf, listOf, objectOf, opaque, partsOf, samplingOf, toolOf, wordOf } from "./lenient.ts";

/** OpenAI's responses, whose whole input is sent each time. */
export const responsesWire: GatewayWire = {
  name: "openai-responses",
  path: "/v1/responses",
  stopStatus: 400,
  read(body) {
    const { input, instructions } = body;
    const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input).map(objectOf);
    const added = items.flatMap((item) => (item["type"] === "additional_tools" ? listOf(item["tools"]) : []));
    return {
      model: wordOf(body["model"]),
      stream: body["stream"] === true,
      withUsage: true,
      request: {
        system: typeof instructions === "string" ? [{ name: "instructions", text: instructions }] : [],
        messages: messagesOf(items),
        tools: [...listOf(body["tools"]), ...added].flatMap((tool) => toolsOf(objectOf(tool))),
        params: { ...samplingOf(body), maxOutputTokens: lengthOf(body["max_output_tokens"]) },
      },
      fields: fieldsOf(body, ["input", "instructions", "tools", "model", "stream"]),
    };
  },
  reader(o) {
    const reply = responsesReply(o);
    return { take: (event) => reply.take(asFunctionCalls(event)), finish: () => reply.finish() };
  },
  whole: (reply) => responseOf(reply, itemsOf(reply)),
  stream: eventsOf,
  error: (status, words) => ({
    error: { message: words, type: status === 401 ? "authentication_error" : "invalid_request_error", param: null, code: "invalid_prompt" },
  }),
};

/** A namespace holds tools of its own; a free-form tool takes one text. */
function toolsOf(tool: JsonObject): ReturnType<typeof toolOf>[] {
  if (tool["type"] === "namespace") return listOf(tool["tools"]).flatMap((each) => toolsOf(objectOf(each)));
  const parameters = tool["type"] === "custom" ? { type: "object", properties: { input: { type: "string" } } } : tool["parameters"];
  return [toolOf(tool["name"] ?? tool["type"], tool["description"], parameters)];
}

/** What the assistant said and called between two inputs is one message. */
function messagesOf(items: readonly JsonObject[]): Message[] {
  const names = createNames();
  const messages: Message[] = [];
  let said: AssistantPart[] = [];
  const flush = (): void => {
    if (said.length > 0) messages.push({ role: "assistant", content: said });
    said = [];
  };
  for (const item of items) {
    const { type, role, content } = item;
    const id = wordOf(item["call_id"]);
    if (type === "additional_tools") continue;
    if (type === "function_call" || type === "custom_tool_call") {
      const name = wordOf(item["name"]);
      names.called(id, name);
      said.push({ type: "call", id, name, args: type === "function_call" ? argsOf(item["arguments"]) : { input: item["input"] ?? "" } });
    } else if (type === "reasoning") said.push(opaque(item, ""));
    else if (role === "assistant") said.push(...partsOf(content).flatMap((part) => (part.type === "text" ? [part] : [])));
    else {
      flush();
      if (type === "function_call_output" || type === "custom_tool_call_output")
        messages.push({ role: "tool", callId: id, name: names.of(id), status: "ok", content: partsOf(item["output"]) });
      else messages.push({ role: "user", content: partsOf(role === undefined ? [item] : content) });
    }
  }
  flush();
  return messages;
}

/** A free-form call read as one with one argument, as its tool is. */
function asFunctionCalls(event: unknown): unknown {
  if (!isObject(event)) return event;
  const { item, response, output } = event;
  return {
    ...event,
    ...(isObject(item) ? { item: asFunctionCall(item as JsonObject) } : {}), // parsed from JSON
    ...(isObject(response) ? { response: withCalls(response as JsonObject) } : {}),
    ...(Array.isArray(output) ? withCalls({ output: output as Json[] }) : {}),
  };
}
const withCalls = (response: JsonObject): JsonObject =>
  Array.isArray(response["output"])
    ? { ...response, output: response["output"].map((item) => (isObject(item) ? asFunctionCall(item) : item)) }
    : response;
const asFunctionCall = ({ input, ...item }: JsonObject): JsonObject =>
  item["type"] === "custom_tool_call"
    ? { ...item, type: "function_call", arguments: JSON.stringify({ input: input ?? "" }) }
    : { ...item, ...(input === undefined ? {} : { input }) };

/** Shapes: npm openai 7.57.0 `resources/responses/responses.d.ts`. */
function itemsOf({ reply, id }: WrittenReply): JsonObject[] {
  const spoken = textOf(reply.message.content);
  return [
    ...(spoken === ""
      ? []
      : [
          {
            id: `msg_${id}`,
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: spoken, annotations: [], logprobs: [] }],
          },
        ]),
    ...callsIn(reply.message).map((call, i) => ({
      id: `fc_${id}_${i}`,
      type: "function_call",
      status: "completed",
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.args),
    })),
  ];
}

function responseOf({ model, reply, id }: WrittenReply, output: JsonObject[]): JsonObject {
  const { input, output: wrote, cached } = reply.usage;
  const reason = reply.stop === "length" ? "max_output_tokens" : reply.stop === "refusal" ? "content_filter" : undefined;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 0,
    model,
    store: false,
    error: null,
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: wrote,
      output_tokens_details: { reasoning_tokens: reply.usage.reasoning ?? 0 },
      total_tokens: input + wrote,
    },
  };
}

function eventsOf(written: WrittenReply): string[] {
  const items = itemsOf(written);
  const whole = responseOf(written, items);
  const started = { ...whole, status: "in_progress", incomplete_details: null, output: [], usage: null };
  let sequence_number = 0;
  const event = (type: string, data: JsonObject): string => sse({ type, sequence_number: sequence_number++, ...data }, type);
  return [
    event("response.created", { response: started }),
    event("response.in_progress", { response: started }),
    ...items.flatMap((item, output_index) => {
      const at = { item_id: item["id"] ?? "", output_index };
      const isCall = item["type"] === "function_call";
      const bare = { ...item, status: "in_progress", ...(isCall ? { arguments: "" } : { content: [] }) };
      return [
        event("response.output_item.added", { output_index, item: bare }),
        ...(isCall ? callEvents(item, at, written.id) : textEvents(item, at, written.id)).map(([type, data]) => event(type, data)),
        event("response.output_item.done", { output_index, item }),
      ];
    }),
    event(`response.${wordOf(whole["status"])}`, { response: whole }),
  ];
}

function callEvents(item: JsonObject, at: JsonObject, id: string): [string, JsonObject][] {
  const json = wordOf(item["arguments"]);
  return [
    ...deltasOf(json, id).map((delta): [string, JsonObject] => ["response.function_call_arguments.delta", { ...at, delta }]),
    ["response.function_call_arguments.done", { ...at, name: item["name"] ?? "", arguments: json }],
  ];
}

function textEvents(item: JsonObject, at: JsonObject, id: string): [string, JsonObject][] {
  const part = objectOf(listOf(item["content"])[0]);
  const here = { ...at, content_index: 0 };
  const said = wordOf(part["text"]);
  return [
    ["response.content_part.added", { ...here, part: { ...part, text: "" } }],
    ...deltasOf(said, id).map((delta): [string, JsonObject] => ["response.output_text.delta", { ...here, delta, logprobs: [] }]),
    ["response.output_text.done", { ...here, text: said, logprobs: [] }],
    ["response.content_part.done", { ...here, part }],
  ];
}
