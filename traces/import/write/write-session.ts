import { rmSync } from "node:fs";
import { createEmitter, type Emitter } from "../../../harness/agent/record/emitter.ts";
import { createRequestRecorder } from "../../../harness/agent/record/request-record.ts";
import { DamagedError } from "../../../harness/errors.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { recordTrace } from "../../record/record-trace.ts";
import type { ImportedSession } from "../imported-session.ts";
import { writeEnd, writeItem, writeJoin } from "./write-items.ts";
import { newVoice, said, voiceOf, type Writing } from "./session-voices.ts";

/** What a run became. */
export interface WrittenSession {
  readonly events: number;
  readonly turns: number;
  /** Records that are no part of the conversation, by kind: kept as notes. */
  readonly kept: Readonly<Record<string, number>>;
}

/**
 * Writes a run of another agent as a trace of ours, sealed and marked as imported. Requests are put together from what was said before each reply: how the
 * agent really asked is not known. The conversation is in `model.*` and `tool.*` events, all else in `note`s. What was started is removed where it fails.
 * @param o `sha256`: of what the run is made of
 * @throws DamagedError for data that are nested too deep to be written, CannotError where nothing can be written
 */
export async function writeSession(
  session: ImportedSession,
  o: { folder: string; sha256: string; redact: (text: string) => string; sync?: boolean },
): Promise<WrittenSession> {
  const began = session.startedAt ?? session.items.find(({ at }) => at !== undefined)?.at ?? 0;
  let [now, events] = [began, 0];
  const clock = { now: () => now, sleep: async () => undefined };
  const trace = recordTrace(o.folder, { clock, micros: () => (now - began) * 1000, ...(o.sync === undefined ? {} : { sync: o.sync }) });
  const sink = { emit: (event: Parameters<typeof trace.emit>[0]) => (events++, trace.emit(event)), flush: async () => undefined };
  const emitter = createEmitter(sink, o.redact);
  try {
    const writing: Writing = {
      session,
      emitter,
      requests: createRequestRecorder(emitter),
      voices: new Map([[undefined, newVoice("main")]]),
      calls: new Map(),
      joined: new Set(),
      kept: new Map(),
      task: writeStart(session, emitter, o.sha256),
    };
    for (const item of session.items) {
      if (item.at !== undefined) now = Math.max(now, item.at);
      writeItem(writing, item);
    }
    for (const key of writing.voices.keys()) if (key !== undefined) writeJoin(writing, key);
    const main = voiceOf(writing, undefined);
    writeEnd(writing, main, session.outcome ?? main.outcome);
    // numbers, a boolean and a text; evidence does not pass the emitter, which takes secrets out
    if (session.verdict) trace.evidence("verifier.result", emitter.redacted(session.verdict as unknown as JsonObject));
    trace.seal(null);
    return { events: events + (session.verdict ? 1 : 0), turns: main.turns, kept: Object.fromEntries(writing.kept) };
  } catch (error) {
    trace.close();
    rmSync(o.folder, { recursive: true, force: true });
    if (!(error instanceof RangeError)) throw error;
    throw new DamagedError(`${session.file} is nested too deep to be imported.`);
  } finally {
    trace.close();
  }
}

/** The task is the first thing that a user said. */
function writeStart(
  { format, agent, model, taskName, tools, facts, items, notKnown }: ImportedSession,
  emitter: Emitter,
  sha256: string,
): Writing["task"] {
  const first = items.find((item) => item.type === "user" && item.agent === undefined);
  const task = first?.type === "user" ? said(first.content) : "";
  const provider = model.includes("/") ? model.slice(0, model.indexOf("/")) : "unknown";
  const settings = { name: model, protocol: "native", maxOutputTokens: 0 };
  const reference = emitter.emit("run.start", "main", {
    config: { name: agent.name, hash: "", model: settings, system: [], tools, middleware: [], limits: {} },
    input: { task },
    model: { provider, name: model, protocol: "native", priceTable: null },
    meta: {
      agent: agent.name,
      imported: { ...facts, format, sha256, version: agent.version, replayable: false, notKnown }, // after `facts`, whatever these are called
      ...(taskName === undefined ? {} : { trial: { task: taskName, configuration: agent.name } }),
    },
  });
  return first && task !== "" ? { item: first, reference } : undefined;
}
