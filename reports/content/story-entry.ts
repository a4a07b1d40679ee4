import type { RunEvent } from "../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import { eventText, laneText, resultOf } from "./event-text.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";

/** An event of a run for a reader. All texts are of others and free of control characters; they are not escaped for any markup. */
export interface StoryEntry {
  readonly kind: "model" | "call" | "harness" | "trouble" | "other";
  readonly seq: number;
  /** Empty for the main conversation. */
  readonly lane: string;
  readonly head: string;
  /** What was said, or asked for; empty where the head says it all. */
  readonly body: string;
  /** Of a call that was answered: how, and with what. */
  readonly result?: StoryResult;
}
export interface StoryResult {
  readonly head: string;
  readonly body: string;
}

type Told = Pick<RunEvent, "t" | "lane" | "d"> & { readonly seq: number };

/** Undefined for requests, questions of middleware and the run's own begin: what they brought stands in other events. */
export function storyEntry(event: Told): StoryEntry | undefined {
  const { t, lane, d, seq } = event;
  if (t === "model.request" || t === "port.read" || (t === "run.start" && lane === "main")) return undefined;
  const { head, body } = t === "tool.call" ? callText(d) : eventText(event);
  return { kind: kindOf(t), seq, lane: laneText(t === "middleware" ? lane.replace(/\/mw:[^/]*$/, "") : lane), head, body };
}

/** Of a `tool.result`, for the entry of its call. */
export const storyResult = (event: Pick<RunEvent, "t" | "lane" | "d">): StoryResult => ({
  head: oneLine(resultOf(event.d)),
  body: eventText(event).body,
});

/** A command as it was typed, or all arguments. */
function callText(d: JsonObject): { head: string; body: string } {
  const call = memberOf(d, "call");
  const args = memberOf(call, "args");
  const values = Object.values(args);
  const [only] = values;
  const body = values.length === 1 && typeof only === "string" ? only : values.length === 0 ? "" : JSON.stringify(args, null, 2);
  return { head: oneLine(textOf(call, "name")), body: printable(body) };
}

function kindOf(t: string): StoryEntry["kind"] {
  if (t === "model.response") return "model";
  if (t === "tool.call" || t === "tool.result") return "call";
  if (t === "middleware") return "harness";
  return t === "model.attempt" || t === "limit.hit" || t === "cancel" ? "trouble" : "other";
}

/** A member of recorded data that is an object; else one without members. */
export function memberOf(of: Json | undefined, key: string): JsonObject {
  const value = typeof of === "object" && of !== null && !Array.isArray(of) && Object.hasOwn(of, key) ? of[key] : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** A member of recorded data that is a text; else an empty one. */
export function textOf(of: Json | undefined, key: string): string {
  const value = typeof of === "object" && of !== null && !Array.isArray(of) && Object.hasOwn(of, key) ? of[key] : undefined;
  return typeof value === "string" ? value : "";
}
