import type { AssistantPart, Part, ToolCall } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import type { ImportedItem } from "../imported-session.ts";
import { countIn, listIn, member, objectIn, rest, textIn, timeIn } from "./lenient-fields.ts";

const envelope = ["type", "message", "timestamp", "sessionId", "version", "cwd", "gitBranch", "userType", "isSidechain"];

/**
 * The lines of a session in their order; a session in which the user went back and took another way holds both. An answer that was written block by block is
 * one reply. `others`: subagents with files of their own.
 */
export function claudeItems(
  records: readonly JsonObject[],
  others: readonly { id: string; records: readonly JsonObject[] }[],
): ImportedItem[] {
  const chains = new Map<string, JsonObject[]>(others.map(({ id, records: own }) => [id, [...own]]));
  const main: JsonObject[] = [];
  const callOf = new Map<string, string>();
  for (const record of records) {
    const agent = textIn(record, "agentId") || textIn(objectIn(record, "toolUseResult"), "agentId");
    if (member(record, "isSidechain") === true) chains.set(agent, [...(chains.get(agent) ?? []), record]);
    else {
      main.push(record);
      for (const block of listIn(objectIn(record, "message"), "content"))
        if (agent !== "" && textIn(block, "type") === "tool_result") callOf.set(textIn(block, "tool_use_id"), agent);
    }
  }
  const begin = (id: string, callId: string | undefined): ImportedItem[] => {
    const own = chains.get(id);
    if (!own) return [];
    chains.delete(id);
    const items = conversation(own, id, () => []);
    const first = items[0];
    const task = first?.type === "user" ? first.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") : "";
    return [{ type: "spawn", key: id, callId, task, at: first?.at }, ...(task === "" ? items : items.slice(1))];
  };
  const items = conversation(main, undefined, (callId) => {
    const id = callOf.get(callId);
    return id === undefined ? [] : begin(id, callId);
  });
  return [...items, ...[...chains.keys()].flatMap((id) => begin(id, undefined))];
}

function conversation(
  records: readonly JsonObject[],
  agent: string | undefined,
  within: (callId: string) => ImportedItem[],
): ImportedItem[] {
  const blocks = new Map<string, Json[]>();
  const last = new Map<string, JsonObject>();
  for (const record of records) {
    const id = replyId(record);
    if (id === undefined) continue;
    blocks.set(id, [...(blocks.get(id) ?? []), ...listIn(objectIn(record, "message"), "content")]);
    last.set(id, record);
  }
  const done = new Set<string>();
  return records.flatMap((record): ImportedItem[] => {
    const at = timeIn(record, "timestamp");
    const id = replyId(record);
    if (id !== undefined) {
      if (done.has(id)) return [];
      done.add(id);
      const reply = replyItem(last.get(id) ?? record, blocks.get(id) ?? [], { at, agent });
      return [reply, ...(reply.type === "reply" ? reply.calls.flatMap((call) => within(call.id)) : [])];
    }
    if (textIn(record, "type") === "user" && isObject(member(record, "message"))) return userItems(record, { at, agent });
    if (textIn(record, "subtype") === "compact_boundary") return [kept(record, { at, agent }), { type: "compact", at, agent }];
    return [kept(record, { at, agent })];
  });
}

interface Place {
  readonly at: number | undefined;
  readonly agent: string | undefined;
}

/** Of an answer by a model; what Claude Code put there itself is none. Lines of one answer have the same. */
function replyId(record: JsonObject): string | undefined {
  const message = objectIn(record, "message");
  if (textIn(record, "type") !== "assistant" || textIn(message, "model") === "<synthetic>" || !Array.isArray(member(message, "content"))) return undefined; // prettier-ignore
  return textIn(message, "id") || textIn(record, "uuid") || undefined;
}

function replyItem(record: JsonObject, blocks: readonly Json[], place: Place): ImportedItem {
  const message = objectIn(record, "message");
  const others: Json[] = [];
  const content = blocks.flatMap((block): AssistantPart[] => {
    const type = textIn(block, "type");
    if (type === "text") return [{ type, text: textIn(block, "text") }];
    if (type === "thinking") return [{ type, text: textIn(block, "thinking") }];
    if (type === "tool_use")
      return [{ type: "call", id: textIn(block, "id"), name: textIn(block, "name"), args: objectIn(block, "input") }];
    others.push(block);
    return [];
  });
  const calls = content.flatMap((part): ToolCall[] => (part.type === "call" ? [{ id: part.id, name: part.name, args: part.args }] : []));
  const usage = objectIn(message, "usage");
  const cached = countIn(usage, "cache_read_input_tokens");
  const cacheWrite = countIn(usage, "cache_creation_input_tokens");
  const stop = textIn(message, "stop_reason");
  const model = textIn(message, "model");
  const source = { ...rest(record, envelope), ...(others.length > 0 ? { blocks: others } : {}) };
  return {
    type: "reply",
    message: { role: "assistant", content },
    calls,
    usage: { input: countIn(usage, "input_tokens") + cached + cacheWrite, output: countIn(usage, "output_tokens"), cached, cacheWrite },
    stop: calls.length > 0 ? "calls" : stop === "max_tokens" ? "length" : stop === "refusal" ? "refusal" : "end",
    costUsd: null,
    activeMs: 0,
    ...(model === "" ? {} : { model }),
    source,
    ...place,
  };
}

function userItems(record: JsonObject, place: Place): ImportedItem[] {
  const content = member(objectIn(record, "message"), "content");
  const source = rest(record, envelope);
  if (typeof content === "string") return [{ type: "user", content: [{ type: "text", text: content }], source, ...place }];
  const blocks = Array.isArray(content) ? content : [];
  const results = blocks.flatMap((block): ImportedItem[] => {
    if (!isObject(block) || textIn(block, "type") !== "tool_result") return [];
    const status = member(block, "is_error") === true ? "error" : "ok";
    return [{ type: "result", callId: textIn(block, "tool_use_id"), status, content: partsOf(member(block, "content")), source, ...place }];
  });
  const said = blocks.filter((block) => textIn(block, "type") !== "tool_result");
  return [...results, ...(said.length > 0 ? [{ type: "user" as const, content: partsOf(said), source, ...place }] : [])];
}

function partsOf(content: Json | undefined): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block): Part => {
    const type = textIn(block, "type");
    if (type === "text") return { type, text: textIn(block, "text") };
    const source = objectIn(block, "source");
    const data = textIn(source, "data");
    if (type === "image" && data !== "") return { type, mediaType: textIn(source, "media_type"), data };
    return { type: "text", text: JSON.stringify(block) };
  });
}

/** Bookkeeping, and what this version does not know: both are kept, and counted by their type. */
function kept(record: JsonObject, place: Place): ImportedItem {
  const subtype = textIn(record, "subtype");
  const kind = `${textIn(record, "type") || "unknown"}${subtype === "" ? "" : `/${subtype}`}`.slice(0, 80);
  return { type: "record", kind, record, ...place };
}
