import {
  type AssistantMessage,
  type AssistantPart,
  type Message,
  type Part,
  text,
  textOf,
  type ToolMessage,
} from "../../contract/messages.ts";
import type { JsonObject } from "../../json.ts";
import { fenced } from "./fences.ts";
import { parseTextReply } from "./text-parse.ts";
import { doneTooEarly, onlyFirst } from "./text-prompts.ts";

/** How a call can be written in text. */
export type CallDialect = "bash" | "json" | "marker";

/** A call as the model itself would write it. `bash` is for calls of bash with a command alone; others become JSON. */
export function renderCall(name: string, args: JsonObject, dialect: CallDialect = "bash"): string {
  const command = args["command"];
  if (dialect === "bash" && name === "bash" && typeof command === "string" && Object.keys(args).length === 1) {
    return fenced("bash", command);
  }
  const json = JSON.stringify({ tool: name, args });
  return dialect === "marker" ? `<|tool_call|>${json}<|/tool_call|>` : fenced("json", json);
}

/**
 * The conversation for a model that knows no tools: calls stand in the assistant's text, results are what the user says. Neighbouring user
 * messages become one, for servers that insist on alternation. A function of the conversation alone, so prefixes stay the same.
 */
export function renderConversation(messages: readonly Message[], tools: readonly string[]): Message[] {
  const out: Message[] = [];
  let before: AssistantMessage | undefined;
  for (const message of messages) {
    if (message.role === "assistant") {
      before = message;
      out.push(asText(message));
      continue;
    }
    const content = message.role === "tool" ? resultParts(message, remark(before, tools)) : message.content;
    if (message.role === "tool") before = undefined; // said once, with the first result
    const last = out.at(-1);
    if (last?.role === "user") out[out.length - 1] = { role: "user", content: joined(last.content, content) };
    else out.push({ role: "user", content });
  }
  return out;
}

/** A conversation may have started with a model that calls natively: its calls are written out. */
function asText(message: AssistantMessage): AssistantMessage {
  const content = message.content.map((part): AssistantPart => (part.type === "call" ? text(renderCall(part.name, part.args)) : part));
  return { role: "assistant", content };
}

/** What the model should know of its last reply, beside the result. Read from that reply again, so nothing needs to be remembered. */
function remark(reply: AssistantMessage | undefined, tools: readonly string[]): string {
  if (reply === undefined || reply.content.some((part) => part.type === "call")) return "";
  const { several, claimsDone } = parseTextReply(textOf(reply.content), { tools, cutOff: false });
  return (several ? `\n${onlyFirst}` : "") + (claimsDone ? `\n${doneTooEarly}` : "");
}

function resultParts(message: ToolMessage, note: string): Part[] {
  const status = message.status === "ok" ? "" : ` status="${message.status}"`;
  const shown = textOf(message.content).trimEnd();
  const images = message.content.filter((part) => part.type === "image");
  return [text(`<output${status}>\n${shown === "" ? "(nothing)" : shown}\n</output>${note}`), ...images];
}

/** Text that meets text becomes one part, so that a conversation of text goes out as plain strings. */
function joined(before: readonly Part[], after: readonly Part[]): Part[] {
  const last = before.at(-1);
  const first = after[0];
  if (last?.type !== "text" || first?.type !== "text") return [...before, ...after];
  return [...before.slice(0, -1), text(`${last.text}\n\n${first.text}`), ...after.slice(1)];
}
