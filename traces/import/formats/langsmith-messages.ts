import type { AssistantPart, Part, ToolCall } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import { listIn, member, objectIn, textIn } from "./lenient-fields.ts";

/** A message of whichever library traced the run, as far as it is one. */
export interface ForeignMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
  readonly thinking: string;
  readonly calls: readonly ToolCall[];
  /** Of what a tool answered. */
  readonly callId: string;
}

const roles: Readonly<Record<string, ForeignMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  tool: "tool",
  function: "tool",
};

/** What an `llm` run was told: chat messages, messages of LangChain (plain or serialised, nested or not), prompts, or a text. */
export function messagesIn(inputs: Json | undefined): ForeignMessage[] {
  const listed = listIn(inputs, "messages");
  const nested = listed.length > 0 && listed.every((one) => Array.isArray(one)) ? listed.flat() : listed;
  if (nested.length > 0) return nested.flatMap((one) => messageOf(one as Json) ?? []); // members of JSON
  const texts = [...listIn(inputs, "prompts"), member(inputs, "prompt"), member(inputs, "input")];
  return texts.flatMap((one) => (typeof one === "string" && one !== "" ? [plain("user", one)] : []));
}

/** What it answered: a message, a list whose last one it is, choices, or generations. */
export function answerIn(outputs: Json | undefined): ForeignMessage | undefined {
  const generation = listIn(outputs, "generations").flat()[0] as Json | undefined; // members of JSON
  const candidates = [
    listIn(outputs, "messages").at(-1),
    member(listIn(outputs, "choices")[0], "message"),
    member(generation, "message"),
    member(outputs, "message"),
    member(outputs, "output"),
    outputs,
  ];
  for (const one of candidates) {
    const message = isObject(one) ? messageOf(one) : undefined;
    if (message?.role === "assistant") return message;
  }
  const texts = [textIn(generation, "text"), ...["output", "text", "content"].map((key) => textIn(outputs, key))];
  const text = texts.find((one) => one !== "");
  return text === undefined ? undefined : plain("assistant", text);
}

const plain = (role: ForeignMessage["role"], text: string): ForeignMessage => ({
  role,
  parts: [{ type: "text", text }],
  thinking: "",
  calls: [],
  callId: "",
});

function messageOf(value: Json): ForeignMessage | undefined {
  if (typeof value === "string") return plain("user", value);
  if (!isObject(value)) return undefined;
  const name = textIn(value, "role") || textIn(value, "type") || textIn(objectIn(value, "kwargs"), "type");
  const last = listIn(value, "id").at(-1);
  const serialised =
    typeof last === "string" ? /^(Human|AI|System|Tool|Function|Chat)Message(Chunk)?$/.exec(last)?.[1]?.toLowerCase() : undefined;
  const known = serialised ?? name;
  const role = Object.hasOwn(roles, known) ? roles[known] : undefined;
  if (!role) return undefined;
  const body = isObject(member(value, "kwargs"))
    ? objectIn(value, "kwargs")
    : isObject(member(value, "data"))
      ? objectIn(value, "data")
      : value;
  const content = member(body, "content");
  const extra = objectIn(body, "additional_kwargs");
  const asked = [...listIn(body, "tool_calls"), ...(listIn(body, "tool_calls").length > 0 ? [] : listIn(extra, "tool_calls"))];
  const blocks = Array.isArray(content) ? content : [];
  return {
    role,
    parts: partsOf(content),
    thinking:
      textIn(body, "reasoning_content") ||
      blocks
        .map((block) => textIn(block, "thinking"))
        .filter(Boolean)
        .join("\n"),
    calls: [...asked, ...(asked.length > 0 ? [] : blocks.filter((block) => textIn(block, "type") === "tool_use"))].flatMap(callOf),
    callId: textIn(body, "tool_call_id"),
  };
}

/** As OpenAI, LangChain and Anthropic spell it. */
function callOf(value: Json): ToolCall[] {
  const own = objectIn(value, "function");
  const name = textIn(own, "name") || textIn(value, "name");
  const args = member(own, "arguments") ?? member(value, "args") ?? member(value, "input");
  return name === "" ? [] : [{ id: textIn(value, "id"), name, args: argumentsOf(args) }];
}

function argumentsOf(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const read = JSON.parse(value) as Json; // what JSON.parse gives is Json
    if (isObject(read)) return read;
  } catch {
    // the model's own mistake: kept as it wrote it
  }
  return { arguments: value };
}

/** Images are named, not kept: most are addresses. */
export function partsOf(content: Json | undefined): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [{ type: "text", text: JSON.stringify(content) }];
  return content.flatMap((block): Part[] => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    const type = textIn(block, "type");
    if (type === "tool_use" || type === "thinking" || type === "reasoning") return [];
    return [{ type: "text", text: textIn(block, "text") || `(${type || "something"})` }];
  });
}

export const textOfParts = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** A reply's own parts. */
export function assistantParts({ parts, thinking, calls }: ForeignMessage): AssistantPart[] {
  return [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, text: thinking }]),
    ...parts.flatMap((part) => (part.type === "text" ? [part] : [])),
    ...calls.map((call) => ({ type: "call" as const, ...call })),
  ];
}
