import type { AssistantMessage, Message, Part, ToolCall } from "../../../harness/contract/messages.ts";
import type { EventData } from "../../../harness/events/schema.ts";
import { addedMessage } from "../added-messages.ts";
import type { ExportedEvent } from "../exported-run.ts";

/** A message as the GenAI conventions spell it in `gen_ai.input.messages` and `gen_ai.output.messages`. */
interface GenAiMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly GenAiPart[];
  readonly finish_reason?: string;
}
type GenAiPart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | { readonly type: "blob"; readonly modality: "image"; readonly mime_type: string; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: unknown };

/** What an entry of a request added. */
export function inputOf(
  entry: EventData<"model.request">["add"][number],
  eventAt: (reference: string) => ExportedEvent | undefined,
): GenAiMessage[] {
  const message = addedMessage(entry, eventAt);
  return message ? [messageOf(message)] : [];
}

/** An answer with all its calls, those too that only stand in its text. */
export function outputOf(message: AssistantMessage, calls: readonly ToolCall[], finishReason: string): GenAiMessage {
  const said = message.content.flatMap((part): GenAiPart[] => {
    if (part.type === "call") return [];
    return [{ type: part.type === "thinking" ? "reasoning" : "text", content: part.text }];
  });
  const asked = calls.map(({ id, name, args }): GenAiPart => ({ type: "tool_call", id, name, arguments: args }));
  return { role: "assistant", parts: [...said, ...asked], finish_reason: finishReason };
}

function messageOf(message: Message): GenAiMessage {
  if (message.role === "user") return { role: "user", parts: message.content.map(partOf) };
  if (message.role === "tool") return { role: "tool", parts: [response(message.callId, message.content)] };
  const calls = message.content.flatMap((part) => (part.type === "call" ? [part] : []));
  const { role, parts } = outputOf(message, calls, "");
  return { role, parts };
}

const partOf = (part: Part): GenAiPart =>
  part.type === "image"
    ? { type: "blob", modality: "image", mime_type: part.mediaType, content: part.data }
    : { type: "text", content: part.text };

const response = (id: string, content: readonly Part[]): GenAiPart => ({
  type: "tool_call_response",
  id,
  response: content.map((part) => (part.type === "text" ? part.text : `(an image, ${part.mediaType})`)).join("\n"),
});
