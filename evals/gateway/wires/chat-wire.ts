import { text, type AssistantPart, type Message } from "../../../harness/contract/messages.ts";
import { isObject, type JsonObject } from "../../../harness/json.ts";
import { openAiReply } from "../../../harness/models/providers/openai-reply.ts";
import { openAiWire } from "../../../harness/models/simulated/server/openai-wire.ts";
import type { GatewayWire } from "./gateway-wire.ts";
import { argsOf, createNames, fieldsOf, lengthOf, listOf, objectOf, opaque, partsOf, samplingOf, toolOf, wordOf } from "./lenient.ts";
import { saidOn } from "./said-on.ts";

/** OpenAI's chat completions. */
export const chatWire: GatewayWire = {
  name: "openai-chat",
  path: "/v1/chat/completions",
  stopStatus: 401,
  read(body) {
    const all = listOf(body["messages"]).map(objectOf);
    const isPrompt = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
    const begins = all.findIndex((message) => !isPrompt(message));
    const system = all.slice(0, begins < 0 ? undefined : begins).flatMap(({ content }) => partsOf(content));
    const names = createNames();
    return {
      model: wordOf(body["model"]),
      stream: body["stream"] === true,
      withUsage: objectOf(body["stream_options"])["include_usage"] === true,
      request: {
        system: system.flatMap((part, i) => (part.type === "text" ? [{ name: `system ${i + 1}`, text: part.text }] : [])),
        messages: all.slice(begins < 0 ? all.length : begins).map((message) => messageOf(message, names)),
        tools: listOf(body["tools"]).map((tool) => {
          const made = objectOf(objectOf(tool)["function"]);
          return toolOf(made["name"] ?? objectOf(tool)["type"], made["description"], made["parameters"]);
        }),
        params: { ...samplingOf(body), maxOutputTokens: lengthOf(body["max_completion_tokens"], body["max_tokens"]) },
      },
      fields: fieldsOf(body, ["messages", "tools", "model", "stream"]),
    };
  },
  reader: openAiReply,
  whole: (reply) => openAiWire.whole(saidOn(reply)),
  stream: (reply) => openAiWire.stream(saidOn(reply)),
  error: (status, words) => ({
    error: { message: words, type: status === 401 ? "authentication_error" : "invalid_request_error", param: null, code: null },
  }),
};

function messageOf(message: JsonObject, names: ReturnType<typeof createNames>): Message {
  const { role, content } = message;
  if (role === "tool") {
    const callId = wordOf(message["tool_call_id"]);
    return { role: "tool", callId, name: names.of(callId), status: "ok", content: partsOf(content) };
  }
  if (role !== "assistant") return { role: "user", content: partsOf(content) };
  const spoken =
    typeof content === "string"
      ? content
      : partsOf(content)
          .map((part) => (part.type === "text" ? part.text : ""))
          .join("");
  const thought = wordOf(message["reasoning_content"]) || wordOf(message["reasoning"]);
  const calls = listOf(message["tool_calls"]).map((call): AssistantPart => {
    const made = objectOf(call);
    const id = wordOf(made["id"]);
    const { name, arguments: args } = isObject(made["function"]) ? made["function"] : made;
    names.called(id, wordOf(name));
    return { type: "call", id, name: wordOf(name), args: argsOf(args) };
  });
  return {
    role: "assistant",
    content: [
      ...(thought === "" ? [] : [opaque({ type: "reasoning", reasoning_content: thought }, thought)]),
      ...(spoken === "" ? [] : [text(spoken)]),
      ...calls,
    ],
  };
}
