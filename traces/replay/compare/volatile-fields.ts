import type { RunEvent } from "../../../harness/events/schema.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { messageOf } from "../../read/rebuild-requests.ts";

/** What of an event's data two runs are compared by; undefined: the event is left out. */
export type ComparedData = (event: RunEvent) => JsonObject | undefined;

/** Which trial it was, its seed, how long things took, what was cached and what that adds up to never are the same twice. */
export const withoutTimes = ({ t, d }: RunEvent): JsonObject => {
  const { activeMs: _ms, meta: _meta, spent: _spent, seed: _seed, ...rest } = d;
  if (t === "model.response") {
    const { usage: _usage, costUsd: _cost, served: _served, sent: _sent, ...said } = rest;
    return said;
  }
  if (t === "model.request") return { ...rest, hash: null }; // covers the seed; all else that it covers is there
  return t === "port.read" && d["port"] === "clock" ? { ...rest, result: null } : rest;
};

/** All but how the run began, which two configurations differ in from the start, and the ids of calls, which a provider draws. */
export const withoutStart: ComparedData = (event) => {
  const { t, lane, d } = event;
  if (t === "run.start") return lane === "main" ? undefined : { input: d["input"] ?? null };
  if (t !== "model.request") return withoutIds(withoutTimes(event));
  const add = Array.isArray(d["add"]) ? d["add"].map((entry) => (isObject(entry) ? withoutIds(entry) : entry)) : null;
  return { ...withoutTimes(event), add, root: null }; // covers the ids; all else that it covers is there
};

/**
 * What was said and done: messages, replies, calls, results, how it ended. What the configuration itself says to the model (parameters, system prompt, tools),
 * and what middleware asks or notes without a word to the model, is left out.
 */
export function conversationOf({ events }: LoadedTrace): ComparedData {
  const told = new Map(
    events.flatMap((event): [string, RunEvent][] =>
      event.t === "middleware" || event.t === "run.start" ? [[`${event.lane}#${event.n}`, event]] : [],
    ),
  );
  const added = (entry: Json): Json => {
    // where it stands is no part of the conversation: the middleware may have looked around more often before it spoke
    const event = isObject(entry) ? told.get(String(entry["ref"])) : undefined;
    return event ? { message: (messageOf(event) ?? null) as unknown as Json } : entry; // plain JSON by its type
  };
  return (event) => {
    const { t, d } = event;
    if (t === "port.read" || (t === "middleware" && typeof d["text"] !== "string")) return undefined;
    const data = withoutStart(event);
    if (t !== "model.request" || !data) return data;
    const { turn = null, keep = null, add } = data;
    return { turn, keep, add: Array.isArray(add) ? add.map(added) : null };
  };
}

/** A message, or data with one: no ids of calls, and no provider's own block of a thought. */
export function withoutIds(value: JsonObject): JsonObject {
  const { callId: _id, ...rest } = value;
  const plain = { ...rest };
  if (isObject(rest["message"])) plain["message"] = withoutIds(rest["message"]);
  if (isObject(rest["call"])) plain["call"] = withoutId(rest["call"]);
  for (const list of ["calls", "content"]) if (Array.isArray(rest[list])) plain[list] = rest[list].map(withoutId);
  return plain;
}

function withoutId(value: Json): Json {
  if (!isObject(value)) return value;
  const { id: _id, opaque: _opaque, ...rest } = value;
  return rest;
}
