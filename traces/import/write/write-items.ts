import type { Message } from "../../../harness/contract/messages.ts";
import type { Outcome } from "../../../harness/contract/run-result.ts";
import type { Json } from "../../../harness/json.ts";
import type { ImportedItem } from "../imported-session.ts";
import { newVoice, said, voiceOf, type Voice, type Writing } from "./session-voices.ts";

type Item<T extends ImportedItem["type"]> = Extract<ImportedItem, { type: T }>;

/** Writes the events of one item. */
export function writeItem(writing: Writing, item: ImportedItem): void {
  const voice = voiceOf(writing, item.agent);
  if (item.type === "system") voice.system = [{ name: "system", text: item.text }];
  else if (item.type === "user") writeUser(writing, voice, item);
  else if (item.type === "context") voice.messages.push(item.message);
  else if (item.type === "reply") writeReply(writing, voice, item);
  else if (item.type === "result") writeResult(writing, voice, item);
  else if (item.type === "spawn") writeSpawn(writing, item);
  else if (item.type === "compact") {
    voice.messages = [];
    writing.emitter.emit("context.compact", voice.lane, { turn: voice.turns });
  } else writeRecord(writing, item.kind, item.record);
}

/** Ends a subagent; nothing where it has ended. */
export function writeJoin(writing: Writing, key: string): void {
  const voice = writing.voices.get(key);
  if (!voice || writing.joined.has(key)) return;
  writing.joined.add(key);
  writeEnd(writing, voice, voice.outcome);
  const lane = voice.lane.slice(0, voice.lane.lastIndexOf("/"));
  writing.emitter.emit("agent.join", lane, { lane: voice.lane, outcome: voice.outcome });
}

/** Where no reply says what it cost, the source's own sums count. */
export function writeEnd({ session, emitter }: Writing, voice: Voice, outcome: Outcome): void {
  const own = voice.lane === "main" && session.totals && voice.spent.input === 0 ? session.totals : voice.spent;
  const { input, output, cached, costUsd } = own;
  const spent = { turns: voice.turns, input, output, cached, costUsd, activeMs: voice.activeMs };
  emitter.emit("run.end", voice.lane, { outcome, answer: voice.answer, spent });
}

function hear({ requests }: Writing, voice: Voice, message: Message, reference?: string): void {
  voice.messages.push(message);
  if (reference !== undefined) requests.cameFrom(message, reference);
}

function writeUser(writing: Writing, voice: Voice, item: Item<"user">): void {
  const { content, source } = item;
  const message: Message = { role: "user", content };
  // what `run.start` holds of a task is its text alone, as one part
  const alone = content.length === 1 && content[0]?.type === "text";
  if (writing.task?.item === item) return hear(writing, voice, message, alone ? writing.task.reference : undefined);
  writing.emitter.emit("user.input", voice.lane, { text: said(content), ...(source ? { source } : {}) });
  hear(writing, voice, message);
}

function writeReply(writing: Writing, voice: Voice, item: Item<"reply">): void {
  const { emitter, requests, session } = writing;
  const { message, calls, callSources, usage, stop, costUsd, activeMs, model, source } = item;
  voice.turns++;
  // the list itself: a copy of it with every reply would cost more with every one
  const request = { system: voice.system, messages: voice.messages, tools: session.tools, params: { maxOutputTokens: 0 } };
  const cause = requests.record(voice.lane, voice.turns, request);
  const served = model === undefined ? {} : { served: { model } };
  const d = { attempt: 0, message, calls, usage, stop, costUsd, activeMs, ...served, ...(source ? { source } : {}) };
  const reference = emitter.emit("model.response", voice.lane, d, [cause]);
  hear(writing, voice, message, reference);
  const { spent } = voice;
  spent.input += usage.input;
  spent.output += usage.output;
  spent.cached += usage.cached;
  spent.costUsd = spent.costUsd === null || costUsd === null ? null : spent.costUsd + costUsd;
  voice.activeMs += activeMs;
  voice.answer = said(message.content);
  voice.outcome = calls.length === 0 ? { type: "done" } : { type: "cancelled", reason: "what was recorded ends within a turn" };
  calls.forEach((call, i) => {
    const lane = `${voice.lane}/${voice.turns}.${i + 1}`;
    const own = callSources?.[i];
    const at = emitter.emit("tool.call", lane, { turn: voice.turns, index: i + 1, call, ...(own ? { source: own } : {}) }, [reference]);
    writing.calls.set(call.id, { call, lane, reference: at, agents: [] });
  });
}

function writeResult(writing: Writing, voice: Voice, { callId, status, content, source }: Item<"result">): void {
  const open = writing.calls.get(callId);
  if (!open) return writeRecord(writing, "result without a call", { callId, content: content as unknown as Json }); // parts are JSON
  writing.calls.delete(callId);
  for (const key of open.agents) writeJoin(writing, key);
  const { name } = open.call;
  const d = { callId, name, reply: { status, content, effects: { edited: [] } }, activeMs: 0, ...(source ? { source } : {}) };
  const reference = writing.emitter.emit("tool.result", open.lane, d, [open.reference]);
  hear(writing, voice, { role: "tool", callId, name, status, content }, reference);
}

function writeSpawn(writing: Writing, { key, callId, task, agent }: Item<"spawn">): void {
  if (writing.voices.has(key)) return;
  const { emitter } = writing;
  const open = callId === undefined ? undefined : writing.calls.get(callId);
  const parent = voiceOf(writing, agent);
  const lane = open?.lane ?? parent.lane;
  const voice = newVoice(`${lane}/sub${open ? open.agents.length : parent.spawned++}`);
  writing.voices.set(key, voice);
  open?.agents.push(key);
  emitter.emit("agent.spawn", lane, { lane: voice.lane, input: { task } });
  const reference = emitter.emit("run.start", voice.lane, { config: { hash: "" }, input: { task }, model: {}, meta: {} });
  if (task !== "") hear(writing, voice, { role: "user", content: [{ type: "text", text: task }] }, reference);
}

function writeRecord({ emitter, kept }: Writing, kind: string, record: Json): void {
  kept.set(kind, (kept.get(kind) ?? 0) + 1);
  emitter.emit("note", "import", { text: `kept: ${kind}`, kind, record });
}
