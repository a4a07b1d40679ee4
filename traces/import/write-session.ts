import { rmSync } from "node:fs";
import type { Message, Section, ToolCall } from "../../harness/agent/messages.ts";
import { createEmitter } from "../../harness/agent/emitter.ts";
import { createRequestRecorder } from "../../harness/agent/request-record.ts";
import type { Outcome } from "../../harness/agent/result.ts";
import { DamagedError } from "../../harness/errors.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import { recordTrace } from "../record/record-trace.ts";
import type { ImportedItem, ImportedSession } from "./imported-session.ts";

/** What a run became. */
export interface WrittenSession {
  readonly events: number;
  readonly turns: number;
  /** Records that are no part of the conversation, by kind: kept as notes. */
  readonly kept: Readonly<Record<string, number>>;
}

/** An agent's conversation on its way into a trace. */
interface Voice {
  readonly lane: string;
  system: readonly Section[];
  messages: Message[];
  turns: number;
  spent: { input: number; output: number; cached: number; costUsd: number | null };
  activeMs: number;
  answer: string;
  ended: Outcome;
}
interface OpenCall {
  readonly call: ToolCall;
  readonly lane: string;
  readonly reference: string;
  /** Keys of subagents that run within it. */
  readonly agents: string[];
}

/**
 * Writes a run of another agent as a trace of ours, sealed and marked as imported. Requests are put together from what was said before each reply: how the
 * agent really asked is not known. The conversation is in `model.*` and `tool.*` events, all else in `note`s. What was begun is removed where it fails.
 * @throws DamagedError for data that are nested too deep to be written, CannotError where nothing can be written
 */
export async function writeSession(
  session: ImportedSession,
  o: { folder: string; sha256: string; redact: (text: string) => string; sync?: boolean },
): Promise<WrittenSession> {
  let now = session.startedAt ?? session.items.find(({ at }) => at !== undefined)?.at ?? 0;
  const began = now;
  const clock = { now: () => now, sleep: async () => undefined };
  const trace = recordTrace(o.folder, { clock, micros: () => (now - began) * 1000, ...(o.sync === undefined ? {} : { sync: o.sync }) });
  const counted = { events: 0 };
  const emitter = createEmitter({ emit: (event) => (counted.events++, trace.emit(event)), flush: async () => undefined }, o.redact);
  const requests = createRequestRecorder(emitter);
  const kept = new Map<string, number>();
  const calls = new Map<string, OpenCall>();
  const spawned = new Map<string, number>();

  const newVoice = (lane: string): Voice => ({
    lane,
    system: [],
    messages: [],
    turns: 0,
    spent: { input: 0, output: 0, cached: 0, costUsd: 0 },
    activeMs: 0,
    answer: "",
    ended: { type: "done" },
  });
  const voices = new Map<string | undefined, Voice>([[undefined, newVoice("main")]]);
  const voiceOf = (agent: string | undefined): Voice => voices.get(agent) ?? voices.get(undefined) ?? newVoice("main");

  const hear = (voice: Voice, message: Message, reference?: string): void => {
    voice.messages.push(message);
    if (reference !== undefined) requests.cameFrom(message, reference);
  };

  const begin = (): void => {
    const { format, agent, model, taskName, tools, facts } = session;
    const first = session.items.find((item) => item.type === "user" && item.agent === undefined);
    const task = first?.type === "user" ? first.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") : "";
    const imported: JsonObject = { format, sha256: o.sha256, version: agent.version, replayable: false, ...facts };
    const config = { name: agent.name, hash: "", model: { name: model, protocol: "native", maxOutputTokens: 0 }, system: [], tools, middleware: [], limits: {} }; // prettier-ignore
    const reference = emitter.emit("run.start", "main", {
      config,
      input: { task },
      model: { provider: model.includes("/") ? model.slice(0, model.indexOf("/")) : "unknown", name: model, protocol: "native", priceTable: null }, // prettier-ignore
      meta: { agent: agent.name, imported, ...(taskName === undefined ? {} : { trial: { task: taskName, configuration: agent.name } }) },
    });
    if (first?.type === "user" && task !== "") told = { item: first, reference };
  };
  let told: { item: ImportedItem; reference: string } | undefined;

  const reply = (voice: Voice, item: ImportedItem & { type: "reply" }): void => {
    voice.turns++;
    const cause = requests.record(voice.lane, voice.turns, {
      system: voice.system,
      messages: [...voice.messages],
      tools: session.tools,
      params: { maxOutputTokens: 0 },
    });
    const { message, usage, stop, costUsd, activeMs, model, source } = item;
    const reference = emitter.emit(
      "model.response",
      voice.lane,
      {
        attempt: 0,
        message,
        calls: item.calls as unknown as Json,
        usage,
        stop,
        costUsd,
        activeMs,
        ...(model === undefined ? {} : { served: { model } }),
        ...(source ? { source } : {}),
      },
      [cause],
    );
    hear(voice, message, reference);
    const { spent } = voice;
    spent.input += usage.input;
    spent.output += usage.output;
    spent.cached += usage.cached;
    spent.costUsd = spent.costUsd === null || costUsd === null ? null : spent.costUsd + costUsd;
    voice.activeMs += activeMs;
    voice.answer = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    voice.ended = item.calls.length === 0 ? { type: "done" } : { type: "cancelled", reason: "what was recorded ends within a turn" };
    item.calls.forEach((call, i) => {
      const lane = `${voice.lane}/${voice.turns}.${i + 1}`;
      const at = emitter.emit("tool.call", lane, { turn: voice.turns, index: i + 1, call: call as unknown as Json }, [reference]);
      calls.set(call.id, { call, lane, reference: at, agents: [] });
    });
  };

  const result = (voice: Voice, item: ImportedItem & { type: "result" }): void => {
    const open = calls.get(item.callId);
    if (!open) return record({ ...item, type: "record", kind: "result without a call", record: { callId: item.callId, content: item.content as unknown as Json } }); // prettier-ignore
    calls.delete(item.callId);
    for (const key of open.agents) join(key);
    const { name } = open.call;
    const d = {
      callId: item.callId,
      name,
      reply: { status: item.status, content: item.content as unknown as Json, effects: { edited: [] } },
      activeMs: 0,
      ...(item.source ? { source: item.source } : {}),
    };
    const reference = emitter.emit("tool.result", open.lane, d, [open.reference]);
    hear(voice, { role: "tool", callId: item.callId, name, status: item.status, content: item.content }, reference);
  };

  const spawn = (item: ImportedItem & { type: "spawn" }): void => {
    if (voices.has(item.key)) return;
    const open = item.callId === undefined ? undefined : calls.get(item.callId);
    const parent = open?.lane ?? voiceOf(item.agent).lane;
    const n = spawned.get(parent) ?? 0;
    spawned.set(parent, n + 1);
    const voice = newVoice(`${parent}/sub${n}`);
    voices.set(item.key, voice);
    open?.agents.push(item.key);
    emitter.emit("agent.spawn", parent, { lane: voice.lane, input: { task: item.task } });
    const reference = emitter.emit("run.start", voice.lane, { config: { hash: "" }, input: { task: item.task }, model: {}, meta: {} });
    if (item.task !== "") hear(voice, { role: "user", content: [{ type: "text", text: item.task }] }, reference);
  };

  const joined = new Set<string>();
  const join = (key: string): void => {
    const voice = voices.get(key);
    if (!voice || joined.has(key)) return;
    joined.add(key);
    end(voice, voice.ended);
    emitter.emit("agent.join", voice.lane.slice(0, voice.lane.lastIndexOf("/")), { lane: voice.lane, outcome: voice.ended });
  };

  const end = (voice: Voice, outcome: Outcome): void => {
    const totals = voice.lane === "main" && session.totals && voice.spent.input === 0 ? session.totals : voice.spent;
    const { input, output, cached, costUsd } = totals;
    const spent = { turns: voice.turns, input, output, cached, costUsd, activeMs: voice.activeMs };
    emitter.emit("run.end", voice.lane, { outcome: outcome as unknown as Json, answer: voice.answer, spent });
  };

  const record = (item: ImportedItem & { type: "record" }): void => {
    kept.set(item.kind, (kept.get(item.kind) ?? 0) + 1);
    emitter.emit("note", "import", { text: `kept: ${item.kind}`, kind: item.kind, record: item.record });
  };

  const take = (item: ImportedItem): void => {
    const voice = voiceOf(item.agent);
    if (item.at !== undefined) now = Math.max(now, item.at);
    if (item.type === "system") voice.system = [{ name: "system", text: item.text }];
    else if (item.type === "user") {
      const message: Message = { role: "user", content: item.content };
      if (told?.item === item) return hear(voice, message, textOnly(item.content) ? told.reference : undefined);
      const text = item.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      emitter.emit("user.input", voice.lane, { text, ...(item.source ? { source: item.source } : {}) });
      hear(voice, message);
    } else if (item.type === "context") hear(voice, item.message);
    else if (item.type === "reply") reply(voice, item);
    else if (item.type === "result") result(voice, item);
    else if (item.type === "spawn") spawn(item);
    else if (item.type === "compact") {
      voice.messages = [];
      emitter.emit("context.compact", voice.lane, { turn: voice.turns });
    } else record(item);
  };

  try {
    begin();
    session.items.forEach(take);
    for (const key of voices.keys()) if (key !== undefined) join(key);
    const main = voiceOf(undefined);
    end(main, session.outcome ?? main.ended);
    if (session.verdict) trace.evidence("verifier.result", session.verdict as unknown as JsonObject);
    trace.seal(null);
    return { events: counted.events + (session.verdict ? 1 : 0), turns: main.turns, kept: Object.fromEntries(kept) };
  } catch (error) {
    trace.close();
    rmSync(o.folder, { recursive: true, force: true });
    if (!(error instanceof RangeError)) throw error;
    throw new DamagedError(`${session.file} is nested too deep to be imported.`);
  } finally {
    trace.close();
  }
}

/** What `run.start` holds of a task is its text alone, as one part. */
const textOnly = (content: readonly { type: string }[]): boolean => content.length === 1 && content[0]?.type === "text";
