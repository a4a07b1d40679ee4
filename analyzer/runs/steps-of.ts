import { textOf as partsText, type Part, type ToolStatus } from "../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../harness/json.ts";
import type { NumberedEvent } from "../../traces/read/turns.ts";
import type { RunReply, RunStep } from "./analyzed-run.ts";

/** The replies of the main conversation, each with its calls and what came back. `effects`: what a call changed was recorded. */
export function repliesOf(events: readonly NumberedEvent[], { effects }: { readonly effects: boolean }): RunReply[] {
  const byLane = new Map<string, NumberedEvent[]>();
  for (const event of events) {
    const own = byLane.get(event.lane) ?? [];
    own.push(event);
    byLane.set(event.lane, own);
  }
  const brought = broughtBy(byLane.get("main") ?? []);
  const replies: RunReply[] = [];
  let [turn, counted] = [0, 0];
  for (const { t, d, seq } of byLane.get("main") ?? []) {
    if (t === "model.request") turn = numberOf(d["turn"]) ?? turn + 1;
    if (t !== "model.response") continue;
    const own = numberOf(objectOf(d["source"])["step"]);
    const steps = callsOf(d).map((call, i) =>
      stepOf(call, {
        lane: byLane.get(`main/${turn}.${i + 1}`) ?? [],
        brought,
        effects,
        turn,
        replySeq: seq,
        step: own ?? counted + i + 1,
      }),
    );
    const first = steps[0]?.step ?? own ?? counted + 1;
    counted = steps.at(-1)?.step ?? own ?? counted;
    const parts = partsOf(d);
    replies.push({
      seq,
      turn,
      text: textIn(parts, "text"),
      thinking: textIn(parts, "thinking"),
      stop: wordOf(d["stop"]) ?? "",
      outputTokens: numberOf(objectOf(d["usage"])["output"]) ?? 0,
      steps,
      step: first,
    });
  }
  return replies;
}

interface Answer {
  readonly seq: number;
  readonly status: ToolStatus | undefined;
  readonly text: string;
}

/** Answers that a middleware gave in place of a call: only the request that brought them holds them. By the call's id, which may come back in a later turn. */
function broughtBy(main: readonly NumberedEvent[]): (callId: string, after: number) => Answer | undefined {
  const found: { readonly id: string; readonly answer: Answer }[] = [];
  for (const { t, seq, d } of main) {
    if (t !== "model.request" || !Array.isArray(d["add"])) continue;
    for (const added of d["add"]) {
      const message = isObject(added) ? objectOf(added["message"]) : {};
      const id = wordOf(message["callId"]);
      if (message["role"] !== "tool" || id === undefined) continue;
      found.push({ id, answer: { seq, status: statusOf(message["status"]), text: contentText(message["content"]) } });
    }
  }
  return (callId, after) => found.find(({ id, answer }) => id === callId && answer.seq > after)?.answer;
}

interface Place {
  readonly lane: readonly NumberedEvent[];
  readonly brought: ReturnType<typeof broughtBy>;
  readonly effects: boolean;
  readonly turn: number;
  readonly replySeq: number;
  readonly step: number;
}

function stepOf(asked: JsonObject, { lane, brought, effects, turn, replySeq, step }: Place): RunStep {
  const made = lane.find(({ t }) => t === "tool.call");
  const result = lane.find(({ t }) => t === "tool.result");
  const call = made ? objectOf(made.d["call"]) : asked;
  const reply = objectOf(result?.d["reply"]);
  const id = wordOf(asked["id"]);
  const other = !result && id !== undefined ? brought(id, replySeq) : undefined;
  const args = objectOf(call["args"]);
  const observation = result ? contentText(reply["content"]) : (other?.text ?? "");
  const known = objectOf(reply["effects"]);
  return {
    step: numberOf(objectOf((result ?? made)?.d["source"])["step"]) ?? step,
    turn,
    seq: made?.seq ?? replySeq,
    replySeq,
    resultSeq: result?.seq ?? other?.seq,
    tool: wordOf(call["name"]) ?? "",
    args,
    command: commandIn(args),
    unreadable: wordOf(call["error"]),
    observation,
    status: result ? statusOf(reply["status"]) : other?.status,
    error: wordOf(reply["error"]),
    exitCode:
      numberOf(objectOf(result?.d["source"])["exitCode"]) ??
      (effects && result && (reply["error"] ?? "exit_code") === "exit_code" ? exitCodeIn(observation) : undefined),
    edited: effects && result ? listOf(known["edited"]) : undefined,
    check: checkOf(objectOf(known["check"])),
  };
}

/** Runs recorded before a check had three results have `passed` in the place of `result`. */
function checkOf({ command, passed, result }: JsonObject): RunStep["check"] {
  if (typeof command !== "string" || (typeof passed !== "boolean" && typeof result !== "string")) return undefined;
  return { command, passed: typeof passed === "boolean" ? passed : result === "unknown" ? undefined : result === "passed" };
}

const commandKeys = ["command", "cmd", "script", "code"];
function commandIn(args: JsonObject): string {
  for (const key of commandKeys) if (typeof args[key] === "string") return args[key];
  return Object.keys(args).length === 0 ? "" : JSON.stringify(args);
}

const closing = "</tool_output>\n";
/** The shell's own line is the first after the output, or the whole where there is no output; a line like it anywhere else is the program's. */
function exitCodeIn(observation: string): number | undefined {
  const end = observation.lastIndexOf(closing);
  if (end < 0 && observation.startsWith("<tool_output>")) return undefined;
  const [, code] = /^(?:No output\. )?Exit code: (\d{1,3})\b/.exec(end < 0 ? observation : observation.slice(end + closing.length)) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** The calls of a reply, which stand in its message where they are not listed. */
function callsOf(d: JsonObject): JsonObject[] {
  const listed = Array.isArray(d["calls"]) ? d["calls"] : partsOf(d).filter((part) => part["type"] === "call");
  return listed.filter((call): call is JsonObject => isObject(call));
}

const partsOf = (d: JsonObject): JsonObject[] => {
  const { content } = objectOf(d["message"]);
  return Array.isArray(content) ? content.filter((part): part is JsonObject => isObject(part)) : [];
};
const textIn = (parts: readonly JsonObject[], type: string): string =>
  parts.flatMap((part) => (part["type"] === type && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n");
const contentText = (content: Json | undefined): string =>
  Array.isArray(content) ? partsText(content.filter((part) => isObject(part)) as unknown as Part[]) : "";

/** Recorded data is anybody's: what is no object has no members. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const wordOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);
export const numberOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined);
const listOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
const statuses: readonly string[] = ["ok", "error", "denied", "timeout"] satisfies ToolStatus[];
const statusOf = (value: Json | undefined): ToolStatus | undefined =>
  typeof value === "string" && statuses.includes(value) ? (value as ToolStatus) : undefined;
