import { callsIn, textOf, type AssistantMessage, type Message, type Part, type ToolCall } from "../../../harness/contract/messages.ts";
import type { Json, JsonObject } from "../../../harness/json.ts";

/** A message in the form of chat completions, which LangSmith shows as a conversation. */
export function chatMessage(message: Message): JsonObject {
  if (message.role === "user") return { role: "user", content: contentOf(message.content) };
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.callId, name: message.name, content: contentOf(message.content) };
  return chatAnswer(message, callsIn(message));
}

/** An answer with all its calls, those too that only stand in its text. */
export function chatAnswer(message: AssistantMessage, calls: readonly ToolCall[]): JsonObject {
  const thoughts = message.content.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
  return {
    role: "assistant",
    content: textOf(message.content),
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join("\n") } : {}),
    ...(calls.length > 0
      ? { tool_calls: calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })) }
      : {}),
  };
}

function contentOf(parts: readonly Part[]): Json {
  if (parts.every(({ type }) => type === "text")) return textOf(parts);
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  );
}
