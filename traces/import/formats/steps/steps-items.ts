import type { AssistantPart, Part, ToolCall } from "../../../../harness/contract/messages.ts";
import type { Json, JsonObject } from "../../../../harness/json.ts";
import type { ImportedItem } from "../../imported-session.ts";
import { rest } from "../lenient-fields.ts";
import { labelFields, stepFields, type Step } from "./steps-schema.ts";

/** A step with the fields that the form does not name. */
interface Given {
  readonly step: Step;
  readonly others: JsonObject | undefined;
}

/**
 * What steps become, in their order. Steps that share a `turn`, or whose `call` counts on (`1/2`, `2/2`), are calls of one reply. What is made of a step has its number
 * in `source.step`.
 */
export function stepsItems(steps: readonly Step[], raw: readonly Json[]): ImportedItem[] {
  const items: ImportedItem[] = [];
  let group: Given[] = [];
  const close = (): void => {
    if (group.length > 0) items.push(...replyItems(group));
    group = [];
  };
  steps.forEach((step, index) => {
    const given = { step, others: rest(raw[index] as JsonObject, [...stepFields, ...labelFields]) }; // an object by the schema
    const before = group.at(-1)?.step;
    if (before && !sameReply(before, step)) close();
    if (isMessage(step)) items.push(messageItem(given));
    else group.push(given);
  });
  close();
  return items;
}

/** Whether a run's last step is an answer: nothing was called, so its agent had come to its end. */
export function endsWithAnswer(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  return last !== undefined && !hasAction(last) && said(last.thought) && !said(last.observation);
}

/** Whether what came of a step is known; an empty text is known to be empty. */
const wasObserved = (step: Step): boolean => typeof step.observation === "string" || typeof step.exit_code === "number";
/** Whether a step is a call whose result has no exit code, or is not known at all. */
export const lacksExitCode = (step: Step): boolean => hasAction(step) && typeof step.exit_code !== "number";

const hasAction = ({ action }: Step): boolean => action !== null && action !== undefined && action !== "";
const said = (value: string | null | undefined): value is string => typeof value === "string" && value !== "";
/** Something that the agent was told, not that it said. */
const isMessage = (step: Step): boolean =>
  !hasAction(step) && !said(step.thought) && !said(step.reasoning) && (typeof step.text === "string" || said(step.observation));

function sameReply(before: Step, step: Step): boolean {
  if (!hasAction(before) || !hasAction(step)) return false;
  if (typeof before.turn === "number" && typeof step.turn === "number") return before.turn === step.turn;
  const [[k, of], [next, ofNext]] = [countIn(before), countIn(step)];
  return next === k + 1 && of === ofNext;
}
const countIn = ({ call }: Step): [number, number] => {
  const [k = 0, of = 0] = (call ?? "").split("/").map(Number);
  return [k, of];
};

const textParts = (text: string): Part[] => (text === "" ? [] : [{ type: "text", text }]);
/** Unix milliseconds. */
export const timeOf = (t: Step["t"]): number | undefined =>
  typeof t === "number" ? t * 1000 : typeof t === "string" ? Date.parse(t) : undefined;

function messageItem({ step, others }: Given): ImportedItem {
  const text = typeof step.text === "string" ? step.text : (step.observation ?? "");
  const from = said(step.source) ? { from: step.source } : {};
  return { type: "user", content: textParts(text), at: timeOf(step.t), source: { ...others, ...from, step: step.i } };
}

function replyItems(group: readonly Given[]): ImportedItem[] {
  const parts: AssistantPart[] = [];
  const calls: ToolCall[] = [];
  for (const { step } of group) {
    if (said(step.reasoning)) parts.push({ type: "thinking", text: step.reasoning });
    if (said(step.thought)) parts.push({ type: "text", text: step.thought });
    const call = callOf(step);
    if (!call) continue;
    calls.push(call);
    parts.push({ type: "call", ...call });
  }
  const first = group[0] as Given; // no group is empty
  const stop = group.map(({ step }) => step.stop ?? "").find((one) => one !== "") ?? "";
  const reply: ImportedItem = {
    type: "reply",
    message: { role: "assistant", content: parts },
    calls,
    callSources: calls.length > 0 ? group.map(sourceOf) : [],
    usage: { input: 0, output: 0, cached: 0 },
    stop: /^(?:length|max_(?:output_)?tokens)$/.test(stop) ? "length" : stop === "refusal" ? stop : calls.length > 0 ? "calls" : "end",
    costUsd: null,
    activeMs: 0,
    at: timeOf(first.step.t),
    source: calls.length > 0 ? { step: first.step.i } : sourceOf(first),
  };
  return [reply, ...group.flatMap(({ step }) => (wasObserved(step) ? [observed(step)] : []))];
}

/** Fields of a step that have no place in an event, and its number. */
const sourceOf = ({ step, others }: Given): JsonObject => {
  const { turn, call, stop } = step;
  const own = Object.fromEntries(Object.entries({ turn, call, stop }).filter(([, value]) => value !== null && value !== undefined));
  return { ...others, ...(own as JsonObject), step: step.i }; // numbers and texts
};

function observed(step: Step): ImportedItem {
  const content = textParts(step.observation ?? "");
  const source = {
    step: step.i,
    exitCode: step.exit_code ?? null,
    ...(step.observation_cut === true ? { observationCut: true } : {}),
  };
  // what followed a reply without a call is a message to the agent
  if (!hasAction(step)) return { type: "user", content, at: timeOf(step.t), source };
  return {
    type: "result",
    callId: callId(step),
    status: (step.exit_code ?? 0) === 0 ? "ok" : "error",
    content,
    at: timeOf(step.t),
    source,
  };
}

const callId = ({ i }: Step): string => `step-${i}`;

/** A text is a command of a shell. */
function callOf(step: Step): ToolCall | undefined {
  const { action } = step;
  if (!hasAction(step) || action === null || action === undefined) return undefined;
  if (typeof action === "string") return { id: callId(step), name: "bash", args: { command: action } };
  const args = (action.args ?? {}) as JsonObject; // JSON by the schema
  const command = typeof action.command === "string" && !Object.hasOwn(args, "command") ? { command: action.command } : {};
  return { id: callId(step), name: action.tool, args: { ...args, ...command } };
}
