import type { RunEvent } from "../../harness/events/schema.ts";
import { snapshotLane } from "../../harness/agent/call-tools.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import { lacksExitCode, type NotKnown } from "../../traces/read/imported.ts";
import { count, dollars, duration, plural } from "../text/format.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";

/** An event for a reader. All of it is fit for a terminal. */
export interface EventText {
  /** One line. */
  readonly head: string;
  /** What was said, several lines; empty where the head says it all. */
  readonly body: string;
}

/**
 * Any event in words: recorded data have whatever shape their trace says, so each member is looked at before it is used.
 * @param notKnown of an imported run: what stands empty for want of knowledge is left out
 */
export function eventText({ t, lane, d }: Pick<RunEvent, "t" | "lane" | "d">, notKnown: readonly NotKnown[] = []): EventText {
  const { head, body = "" } = Object.hasOwn(words, t) ? (words[t]?.(d, lane, notKnown) ?? unknownType(t, d)) : unknownType(t, d);
  return { head: oneLine(head), body: printable(body.replaceAll("\r\n", "\n")).trimEnd() };
}

/** A lane as a reader needs it: nothing for the main conversation, `3.1` for the first call of turn 3. */
export const laneText = (lane: string): string => oneLine(lane.replace(/^main\/?/, ""));

interface Words {
  readonly head: string;
  readonly body?: string;
}

const words: Readonly<Record<string, (d: JsonObject, lane: string, notKnown: readonly NotKnown[]) => Words>> = {
  "run.start": (d, lane) => ({
    head: lane === "main" ? `begins: ${text(d, "config", "name")} on ${text(d, "config", "model", "name")}` : "subagent begins",
    body: text(d, "input", "task"),
  }),
  "model.request": (d) => {
    const changed = ["system", "tools"].filter((key) => Object.hasOwn(d, key));
    const added = list(d, "add").length;
    return {
      head: `request: ${plural(number(d, "keep"), "message")} as before, ${added} new${changed.map((key) => `, other ${key}`).join("")}`,
    };
  },
  "model.response": (d, _lane, notKnown) => {
    const stop = text(d, "stop");
    const how = [
      ...(notKnown.includes("tokens") ? [] : [`${count(number(d, "usage", "input"))}/${count(number(d, "usage", "output"))} tokens`]),
      ...(notKnown.includes("cost") ? [] : [costOf(d)]),
      ...(notKnown.includes("time") ? [] : [duration(number(d, "activeMs"))]),
      ...(stop === "length" || stop === "refusal" ? [stop] : []),
      ...(at(d, "redacted") === true ? ["secrets taken out"] : []),
    ];
    return { head: ["model", how.join(", ")].filter((part) => part !== "").join(": "), body: partsOf(list(d, "message", "content")) };
  },
  "model.attempt": (d) => {
    const status = number(d, "status");
    return { head: `failed try: ${text(d, "kind")}${status ? ` (${status})` : ""}: ${text(d, "message")}` };
  },
  "tool.call": (d) => ({ head: `${text(d, "call", "name")} ${argsOf(at(d, "call", "args"))}` }),
  "tool.result": (d, _lane, notKnown) => ({
    head: `${text(d, "name")}: ${resultOf(d, notKnown)}`,
    body: partsOf(list(d, "reply", "content")),
  }),
  "port.read": (d) => ({ head: `asked ${text(d, "port")}: ${text(d, "op")}`, body: JSON.stringify(d["result"] ?? null) }),
  middleware: (d) => ({
    head: `${text(d, "name")} (${text(d, "phase")}, ${text(d, "change")}): ${text(d, "why")}`,
    body: text(d, "text"),
  }),
  "user.input": (d) => ({ head: "the user wrote", body: text(d, "text") }),
  "user.approval": (d) => ({
    head: `asked the user: ${text(d, "answer") || "no answer"}`,
    body: JSON.stringify(d["question"] ?? null),
  }),
  cancel: (d) => ({ head: `cancelled at ${text(d, "place")}: ${text(d, "reason")}` }),
  "agent.spawn": (d) => ({ head: `subagent ${text(d, "lane")}`, body: text(d, "input", "task") }),
  "agent.join": (d) => ({ head: `subagent ${text(d, "lane")} ended: ${outcomeText(d)}` }),
  "limit.hit": (d) => ({ head: `limit ${text(d, "limit")}: ${number(d, "used")} of ${number(d, "allowed")}` }),
  "run.end": (d, lane, notKnown) => {
    if (lane !== "main") return { head: `subagent ends: ${outcomeText(d)}`, body: text(d, "answer") };
    const tokens = `${count(number(d, "spent", "input"))}/${count(number(d, "spent", "output"))} tokens`;
    const cost = at(d, "spent", "costUsd");
    const spent = [
      notKnown.includes("totalTokens") ? "tokens not known" : tokens,
      notKnown.includes("totalCost") ? "cost not known" : dollars(typeof cost === "number" ? cost : null),
      notKnown.includes("time") ? "time not known" : duration(number(d, "spent", "activeMs")),
    ];
    return {
      head: `ends: ${notKnown.includes("end") ? "how is not known" : outcomeText(d)}; ${plural(number(d, "spent", "turns"), "turn")}, ${spent.join(", ")}`,
      body: text(d, "answer"),
    };
  },
  "fs.snapshot": (d, lane) => {
    const names = (of: string): string[] => list(d, of).filter((path) => typeof path === "string");
    const [changed, removed] = [names("changed"), names("removed")];
    const countOf = (of: string, listed: number): number => number(d, "counts", of) || listed;
    const counts = `${countOf("changed", changed.length)} changed, ${countOf("removed", removed.length)} removed`;
    const when = lane === snapshotLane ? "after the call" : "afterwards";
    const body = [...changed, ...removed.map((path) => `${path} (removed)`)].join("\n");
    return { head: `the workdir ${when}: ${counts}`, body };
  },
  "verifier.result": (d) => ({
    head: `verifier: ${d["passed"] === true ? "passed" : "failed"} ${JSON.stringify(d["rewards"] ?? null)}`,
    body: text(d, "report"),
  }),
  recovered: (d) => ({ head: `sealed by a later process; ${number(d, "bytes")} torn bytes set aside` }),
  note: (d) => ({
    head: `note: ${text(d, "text")}${typeof d["exitCode"] === "number" ? ` Exit code ${d["exitCode"]}.` : ""}`,
    body: [withoutEvents(text(d, "stdout")), text(d, "stderr")].filter((part) => part.trim() !== "").join("\n"),
  }),
};

/** Output of another agent, as far as it is not its own log of what the run's events already show: one JSON object a line, the first of them cut off. */
function withoutEvents(output: string): string {
  const lines = output.split("\n");
  const own = lines.filter((line, i) => !line.startsWith("{") && !(i === 0 && lines[1]?.startsWith("{") === true && line.endsWith("}")));
  const left = lines.length - own.length;
  return left === 0 ? output : [...own, `(${plural(left, "line")} of its own log, as JSON)`].filter((line) => line !== "").join("\n");
}

/** How a call ended, in a few words. */
export function resultOf(d: JsonObject, notKnown: readonly NotKnown[] = []): string {
  const edited = list(d, "reply", "effects", "edited").filter((path) => typeof path === "string");
  const passed = at(d, "reply", "effects", "check", "passed");
  const check = typeof passed === "boolean" ? (passed ? "passed" : "failed") : at(d, "reply", "effects", "check", "result");
  const more = [...(edited.length > 0 ? [`edited ${edited.join(", ")}`] : []), ...(typeof check === "string" ? [`check ${check}`] : [])];
  const status = lacksExitCode({ d }) ? "exit code not known" : text(d, "reply", "status");
  return [status, ...(notKnown.includes("time") ? [] : [duration(number(d, "activeMs"))]), ...more].join(", ");
}

const unknownType = (t: string, d: JsonObject): Words => ({ head: t, body: JSON.stringify(d) });

/** A single string stands for itself; anything else is shown as JSON. */
function argsOf(args: Json | undefined): string {
  const values = typeof args === "object" && args !== null ? Object.values(args) : [];
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(args ?? null);
}

function partsOf(parts: readonly Json[]): string {
  return parts
    .map((part) => {
      const kind = text(part, "type");
      if (kind === "text") return text(part, "text");
      if (kind === "thinking") return `(thinks) ${text(part, "text")}`;
      return kind === "image" ? `(an image, ${text(part, "mediaType")})` : "";
    })
    .filter((said) => said !== "")
    .join("\n");
}

function outcomeText(d: JsonObject): string {
  const more = ["limit", "kind", "reason", "message"].map((key) => text(d, "outcome", key)).filter((said) => said !== "");
  return [text(d, "outcome", "type"), ...more].join(" ");
}

const costOf = (d: JsonObject): string => dollars(typeof d["costUsd"] === "number" ? d["costUsd"] : null);

/** What lies at a place in recorded data, if anything does. */
function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || Array.isArray(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
function text(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}
function number(value: Json | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === "number" ? found : 0;
}
function list(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
