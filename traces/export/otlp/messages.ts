import type { AssistantMessage, Message, Part, ToolCall } from "../../../harness/agent/messages.ts";
import type { EventData } from "../../../harness/events/schema.ts";
import type { ExportedEvent } from "../exported-run.ts";
import { dataOf } from "../recorded.ts";

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
  if ("message" in entry) return [messageOf(entry.message as unknown as Message)]; // checked by L0
  const [, reference = "", place] = /^(.*?)(?:\+(\d+))?$/s.exec(String(entry["ref"])) ?? [];
  const event = eventAt(reference);
  if (event?.t === "model.request") {
    // a message that an earlier request brought itself
    const earlier = place === undefined ? undefined : dataOf(event, "model.request").add[Number(place)];
    return earlier && "message" in earlier ? [messageOf(earlier.message as unknown as Message)] : []; // as above
  }
  if (event?.t === "run.start") {
    const { task, images = [] } = dataOf(event, "run.start").input as unknown as { task: string; images?: Part[] }; // as the loop reads it
    return [{ role: "user", parts: [{ type: "text", content: task }, ...images.map(partOf)] }];
  }
  if (event?.t === "middleware") return [{ role: "user", parts: [{ type: "text", content: dataOf(event, "middleware").text ?? "" }] }];
  if (event?.t === "model.response") return [messageOf(dataOf(event, "model.response").message as unknown as Message)]; // as above
  if (event?.t === "tool.result") {
    const { reply, ...more } = dataOf(event, "tool.result");
    return [{ role: "tool", parts: [response(String(more["callId"]), reply.content as unknown as Part[])] }]; // as above
  }
  return [];
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
