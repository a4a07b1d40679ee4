import { text, type AssistantPart, type Message } from "../../../harness/contract/messages.ts";
import { isObject, type JsonObject } from "../../../harness/json.ts";
import { anthropicReply } from "../../../harness/models/providers/anthropic-reply.ts";
import { anthropicWire } from "../../../harness/models/simulated/server/anthropic-wire.ts";
import type { GatewayWire } from "./gateway-wire.ts";
import { argsOf, createNames, fieldsOf, lengthOf, listOf, objectOf, opaque, partsOf, samplingOf, toolOf, wordOf } from "./lenient.ts";
import { saidOn } from "./said-on.ts";

/** Anthropic's messages. */
export const messagesWire: GatewayWire = {
  name: "anthropic-messages",
  path: "/v1/messages",
  stopStatus: 403,
  read(body) {
    const names = createNames();
    return {
      model: wordOf(body["model"]),
      stream: body["stream"] === true,
      withUsage: true,
      request: {
        system: partsOf(body["system"]).flatMap((part, i) => (part.type === "text" ? [{ name: `system ${i + 1}`, text: part.text }] : [])),
        messages: listOf(body["messages"]).flatMap((message) => messagesOf(objectOf(message), names)),
        tools: listOf(body["tools"]).map((tool) => {
          const { name, type, description, input_schema } = objectOf(tool);
          return toolOf(name ?? type, description, input_schema);
        }),
        params: { ...samplingOf(body), maxOutputTokens: lengthOf(body["max_tokens"]) },
      },
      fields: fieldsOf(body, ["messages", "system", "tools", "model", "stream"]),
    };
  },
  reader(o) {
    const reply = anthropicReply(o);
    return {
      take(event) {
        for (const each of isObject(event) && event["type"] === "message" ? eventsOf(event as JsonObject) : [event]) reply.take(each); // parsed from JSON
      },
      finish: () => reply.finish(),
    };
  },
  whole: (reply) => anthropicWire.whole(saidOn(reply)),
  stream: (reply) => anthropicWire.stream(saidOn(reply)),
  error: (status, words) => ({
    type: "error",
    error: {
      type: status === 403 ? "permission_error" : status === 401 ? "authentication_error" : "invalid_request_error",
      message: words,
    },
  }),
};

/** Each result is a message of its own; neighbouring blocks of anything else are one. */
function messagesOf({ role, content }: JsonObject, names: ReturnType<typeof createNames>): Message[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf);
  if (role === "assistant") return [{ role, content: blocks.map((block) => saidBlock(block, names)) }];
  const messages: Message[] = [];
  let spoken: JsonObject[] = [];
  const flush = (): void => {
    if (spoken.length > 0) messages.push({ role: "user", content: partsOf(spoken) });
    spoken = [];
  };
  for (const block of blocks) {
    if (block["type"] !== "tool_result") {
      spoken.push(block);
      continue;
    }
    flush();
    const callId = wordOf(block["tool_use_id"]);
    const status = block["is_error"] === true ? "error" : "ok";
    messages.push({ role: "tool", callId, name: names.of(callId), status, content: partsOf(block["content"]) });
  }
  flush();
  return messages.length > 0 ? messages : [{ role: "user", content: [] }];
}

function saidBlock(block: JsonObject, names: ReturnType<typeof createNames>): AssistantPart {
  if (block["type"] === "text") return text(wordOf(block["text"]));
  if (block["type"] === "tool_use") {
    const [id, name] = [wordOf(block["id"]), wordOf(block["name"])];
    names.called(id, name);
    return { type: "call", id, name, args: argsOf(block["input"]) };
  }
  const { cache_control: _, ...plain } = block;
  return opaque(plain, wordOf(block["thinking"]));
}

/** A message that was not streamed, as the events that would have made it. */
function eventsOf(message: JsonObject): JsonObject[] {
  const blocks = listOf(message["content"]);
  return [
    { type: "message_start", message },
    ...blocks.map((content_block, index): JsonObject => ({ type: "content_block_start", index, content_block })),
    ...blocks.flatMap((block, index): JsonObject[] => {
      const { signature } = objectOf(block);
      return typeof signature === "string" ? [{ type: "content_block_delta", index, delta: { type: "signature_delta", signature } }] : [];
    }),
    { type: "message_delta", delta: { stop_reason: message["stop_reason"] ?? null }, usage: message["usage"] ?? null },
    { type: "message_stop" },
  ];
}
