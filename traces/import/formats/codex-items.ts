import type { AssistantPart, Part, ToolCall, Usage } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import type { ImportedItem } from "../imported-session.ts";
import { countIn, listIn, member, objectIn, textIn, timeIn } from "./lenient-fields.ts";

type Reply = Extract<ImportedItem, { type: "reply" }>;

/** The lines of a session in their order. What the model said without anything between is one reply; the count of tokens that follows is its own. */
export function codexItems(records: readonly JsonObject[]): ImportedItem[] {
  const items: ImportedItem[] = [];
  let open: { at: number | undefined; parts: AssistantPart[]; sources: Json[] } | undefined;
  let model = "";
  const close = (): void => {
    if (open) items.push(replyOf(open, model));
    open = undefined;
  };
  for (const record of records) {
    const at = timeIn(record, "timestamp");
    const payload = objectIn(record, "payload");
    const type = textIn(payload, "type");
    const kind = textIn(record, "type");
    const parts = kind === "response_item" ? spoken(payload) : undefined;
    if (parts) {
      open ??= { at, parts: [], sources: [] };
      open.parts.push(...parts);
      if (type !== "message") open.sources.push(payload);
      continue;
    }
    if (kind === "event_msg" && type === "token_count") {
      close();
      const last = items.findLastIndex((item) => item.type === "reply");
      const reply = items[last];
      const counted = objectIn(objectIn(payload, "info"), "last_token_usage");
      if (reply?.type === "reply" && reply.usage.input === 0) items[last] = { ...reply, usage: usageOf(counted) };
      items.push(kept(record, at));
      continue;
    }
    if (kind === "event_msg") {
      items.push(kept(record, at)); // between the model's own items, and no part of the conversation
      continue;
    }
    close();
    if (kind === "turn_context") model = textIn(payload, "model") || model;
    const prompt = kind === "session_meta" ? textIn(payload, "instructions") || textIn(objectIn(payload, "base_instructions"), "text") : "";
    if (prompt !== "") items.push({ type: "system", text: prompt, at });
    items.push(...(kind === "response_item" ? heard(payload, record, at) : [kept(record, at)]));
    if (kind === "compacted") items.push({ type: "compact", at });
  }
  close();
  return items;
}

/** What an item of the model adds to its reply; undefined for an item that is none. */
function spoken(payload: JsonObject): AssistantPart[] | undefined {
  const type = textIn(payload, "type");
  if (type === "message") {
    if (textIn(payload, "role") !== "assistant") return undefined;
    return listIn(payload, "content").map((part) => ({ type: "text", text: textIn(part, "text") || textIn(part, "refusal") }));
  }
  if (type === "reasoning") {
    const said = [...listIn(payload, "summary"), ...listIn(payload, "content")].map((part) => textIn(part, "text")).join("\n");
    return [{ type: "thinking", text: said }];
  }
  const id = textIn(payload, "call_id") || textIn(payload, "id");
  if (type === "function_call")
    return [{ type: "call", id, name: textIn(payload, "name"), args: argumentsOf(textIn(payload, "arguments")) }];
  if (type === "custom_tool_call") return [{ type: "call", id, name: textIn(payload, "name"), args: { input: textIn(payload, "input") } }];
  if (type === "local_shell_call") return [{ type: "call", id, name: "local_shell", args: objectIn(payload, "action") }];
  return undefined;
}

/** Items that the harness or a person made. */
function heard(payload: JsonObject, record: JsonObject, at: number | undefined): ImportedItem[] {
  const type = textIn(payload, "type");
  if (type === "message") {
    const content = listIn(payload, "content").map((part): Part => ({
      type: "text",
      text: textIn(part, "text") || `(${textIn(part, "type")})`,
    }));
    return [{ type: "user", content, at, source: { role: textIn(payload, "role") } }];
  }
  if (type !== "function_call_output" && type !== "custom_tool_call_output") return [kept(record, at)];
  return [{ type: "result", callId: textIn(payload, "call_id"), status: "ok", content: [{ type: "text", text: outputOf(member(payload, "output")) }], at }]; // prettier-ignore
}

/** Text, a list of texts, or an object that holds it. */
function outputOf(output: Json | undefined): string {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return output.map((part) => textIn(part, "text") || JSON.stringify(part)).join("\n");
  return textIn(output, "content") || JSON.stringify(output ?? null);
}

function argumentsOf(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json; // what JSON.parse gives is Json
    if (isObject(value)) return value;
  } catch {
    // the model's own mistake: kept as it wrote it
  }
  return { arguments: text };
}

function replyOf({ at, parts, sources }: { at: number | undefined; parts: AssistantPart[]; sources: Json[] }, model: string): Reply {
  const calls = parts.flatMap((part): ToolCall[] => (part.type === "call" ? [{ id: part.id, name: part.name, args: part.args }] : []));
  return {
    type: "reply",
    message: { role: "assistant", content: parts },
    calls,
    usage: { input: 0, output: 0, cached: 0 },
    stop: calls.length > 0 ? "calls" : "end",
    costUsd: null,
    activeMs: 0,
    ...(model === "" ? {} : { model }),
    at,
    ...(sources.length > 0 ? { source: { items: sources } } : {}),
  };
}

const usageOf = (counted: JsonObject): Usage => ({
  input: countIn(counted, "input_tokens"),
  output: countIn(counted, "output_tokens"),
  cached: countIn(counted, "cached_input_tokens"),
});

function kept(record: JsonObject, at: number | undefined): ImportedItem {
  const below = textIn(objectIn(record, "payload"), "type");
  return { type: "record", kind: `${textIn(record, "type") || "unknown"}${below === "" ? "" : `/${below}`}`.slice(0, 80), record, at };
}
