import type { Json, JsonObject } from "../harness/json.ts";
import type { ExportedEvent, ExportedRun } from "../traces/export/exported-run.ts";
import { turnsOf } from "../traces/read/turns.ts";
import { eventText, laneText, resultOf } from "./terminal/event-text.ts";
import { count, dollars, duration, plural } from "./terminal/format.ts";
import { oneLine, printable } from "./terminal/printable.ts";

/** A run for a reader, in words that any page can show. All texts are of others and free of control characters; they are not escaped for any markup. */
export interface RunStory {
  readonly title: string;
  /** How it ended, in a few words. */
  readonly verdict: string;
  /** null: nobody judged it. */
  readonly passed: boolean | null;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly task: string;
  readonly system: string;
  readonly turns: readonly StoryTurn[];
}
export interface StoryTurn {
  /** 0: before the first. */
  readonly turn: number;
  readonly sums: string;
  readonly entries: readonly StoryEntry[];
}
export interface StoryEntry {
  readonly kind: "model" | "call" | "harness" | "trouble" | "other";
  readonly seq: number;
  /** Empty for the main conversation. */
  readonly lane: string;
  readonly head: string;
  /** What was said, or asked for; empty where the head says it all. */
  readonly body: string;
  /** Of a call that was answered: how, and with what. */
  readonly result?: { readonly head: string; readonly body: string };
}

export function runStory(run: ExportedRun): RunStory {
  const start = run.events[0]?.d ?? {};
  const config = member(start, "config");
  const trial = member(member(start, "meta"), "trial");
  const end = run.events.findLast(({ t, lane }) => t === "run.end" && lane === "main")?.d;
  const verdict = run.events.findLast(({ t }) => t === "verifier.result")?.d;
  const task = text(member(start, "input"), "task");
  const system = run.events.find(({ t }) => t === "model.request")?.d["system"];
  const turns = turnsOf(run.events);
  const known = turns.every(({ costUsd }) => costUsd !== null);
  const sum = (of: "input" | "output" | "activeMs" | "costUsd"): number => turns.reduce((total, turn) => total + (turn[of] ?? 0), 0);
  const passed = typeof verdict?.["passed"] === "boolean" ? verdict["passed"] : null;
  const facts: [string, string][] = [
    ["Task", text(trial, "task")],
    ["Configuration", text(trial, "configuration") || text(config, "name")],
    ["Model", text(member(config, "model"), "name")],
    ["Imported from", text(member(member(start, "meta"), "imported"), "format")],
    ["Begun", timeOf(run.events[0])],
    ["Turns", String(turns.filter(({ turn }) => turn > 0).length)],
    ["Tokens", `${count(sum("input"))} in, ${count(sum("output"))} out`],
    ["Cost", dollars(known ? sum("costUsd") : null)],
    ["Active time", duration(sum("activeMs"))],
    ["Trace", `${run.id.slice(0, 16)}${run.sealed ? "" : ", not sealed"}`],
  ];
  const how = end ? endOf(end) : "cut off, its process was ended";
  return {
    title: oneLine(text(trial, "task") || task.slice(0, 120)),
    verdict: passed === null ? how : `${passed ? "passed" : "failed"} (the agent's end: ${how})`,
    passed,
    facts: facts.flatMap(([name, value]) => (value === "" ? [] : [[name, oneLine(value)] as const])),
    task: printable(task),
    system: Array.isArray(system) ? printable(system.map((section) => text(section, "text")).join("\n\n")) : "",
    turns: turns.map(({ turn, events, ...sums }) => ({
      turn,
      sums: [
        `${count(sums.input)}/${count(sums.output)} tokens`,
        dollars(sums.costUsd),
        duration(sums.activeMs),
        ...(sums.calls > 0 ? [plural(sums.calls, "call")] : []),
        ...(sums.interventions > 0 ? [plural(sums.interventions, "intervention")] : []),
      ].join(", "),
      entries: entriesOf(events as readonly ExportedEvent[]), // turnsOf hands on the events it is given
    })),
  };
}

/** Requests, and questions of middleware, are left out: what they brought stands in other events. */
function entriesOf(events: readonly ExportedEvent[]): StoryEntry[] {
  const results = new Map(events.filter(({ t }) => t === "tool.result").map((event) => [String(event.cause[0]), event]));
  const paired = new Set<ExportedEvent>();
  return events.flatMap((event) => {
    if (event.t === "model.request" || event.t === "port.read" || paired.has(event) || isMainStart(event)) return [];
    const result = event.t === "tool.call" ? results.get(`${event.lane}#${event.n}`) : undefined;
    if (result) paired.add(result);
    const call = event.t === "tool.call" ? callText(event.d) : undefined;
    const { head, body } = call ?? eventText(event);
    return [
      {
        kind: kindOf(event.t),
        seq: event.seq,
        lane: laneText(event.t === "middleware" ? event.lane.replace(/\/mw:[^/]*$/, "") : event.lane),
        head,
        body,
        ...(result ? { result: { head: oneLine(resultOf(result.d)), body: eventText(result).body } } : {}),
      },
    ];
  });
}

const isMainStart = ({ t, lane }: ExportedEvent): boolean => t === "run.start" && lane === "main";

/** A command as it was typed, or all arguments. */
function callText(d: JsonObject): { head: string; body: string } {
  const call = member(d, "call");
  const args = member(call, "args");
  const values = Object.values(args);
  const [only] = values;
  const body = values.length === 1 && typeof only === "string" ? only : values.length === 0 ? "" : JSON.stringify(args, null, 2);
  return { head: oneLine(text(call, "name")), body: printable(body) };
}

function kindOf(t: string): StoryEntry["kind"] {
  if (t === "model.response") return "model";
  if (t === "tool.call" || t === "tool.result") return "call";
  if (t === "middleware") return "harness";
  return t === "model.attempt" || t === "limit.hit" || t === "cancel" ? "trouble" : "other";
}

function endOf(d: JsonObject): string {
  const outcome = member(d, "outcome");
  return oneLine(["type", "limit", "kind", "reason", "message"].map((key) => text(outcome, key)).filter((word) => word !== "").join(" ")); // prettier-ignore
}

const timeOf = (event: ExportedEvent | undefined): string => {
  const date = new Date(event?.ts ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
};

function member(of: Json | undefined, key: string): JsonObject {
  const value = typeof of === "object" && of !== null && !Array.isArray(of) && Object.hasOwn(of, key) ? of[key] : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
function text(of: Json | undefined, key: string): string {
  const value = typeof of === "object" && of !== null && !Array.isArray(of) && Object.hasOwn(of, key) ? of[key] : undefined;
  return typeof value === "string" ? value : "";
}
