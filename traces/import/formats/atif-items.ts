import type { AssistantPart, Part, ToolCall } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import type { ImportedItem } from "../imported-session.ts";
import { countIn, listIn, member, numberIn, objectIn, rest, textIn, timeIn } from "./lenient-fields.ts";

const stepFields = ["step_id", "timestamp", "source", "message", "reasoning_content", "tool_calls", "observation", "metrics", "model_name", "is_copied_context"]; // prettier-ignore

/** The steps of a trajectory of ATIF, those of embedded subagents within the calls that began them. `agent`: the key of the trajectory that it is. */
export function atifItems(trajectory: JsonObject, agent?: string): ImportedItem[] {
  const subagents = new Map<string, JsonObject>();
  for (const one of listIn(trajectory, "subagent_trajectories")) if (isObject(one)) subagents.set(textIn(one, "trajectory_id"), one);
  const delegate = (id: string, callId: string | undefined, at: number | undefined): ImportedItem[] => {
    const one = subagents.get(id);
    if (!one) return [];
    subagents.delete(id);
    const key = `${agent ?? ""}/${id}`;
    const first = listIn(one, "steps").find((step) => textIn(step, "source") === "user");
    const task = messageText(member(first, "message"));
    const inner = atifItems(one, key);
    const skip = inner.findIndex((item) => item.type === "user" && item.agent === key);
    if (task !== "" && skip >= 0) inner.splice(skip, 1); // it is what the subagent begins with
    return [{ type: "spawn", key, callId, task, at, agent }, ...inner];
  };
  const items = listIn(trajectory, "steps").flatMap((step): ImportedItem[] =>
    isObject(step) ? stepItems(step, { agent, delegate }) : [unknownStep(step, agent)],
  );
  // one that comes later is a message, not another prompt
  const prompt = items.findIndex((item) => item.type === "system" && item.agent === agent);
  const settled = items.map((item, i): ImportedItem => {
    if (item.type !== "system" || item.agent !== agent || i === prompt) return item;
    return { type: "user", content: [{ type: "text", text: item.text }], at: item.at, agent, source: { ...item.source, from: "system" } };
  });
  return [...settled, ...[...subagents.keys()].flatMap((id) => delegate(id, undefined, undefined))];
}

interface Context {
  readonly agent: string | undefined;
  delegate(id: string, callId: string | undefined, at: number | undefined): ImportedItem[];
}

function stepItems(step: JsonObject, { agent, delegate }: Context): ImportedItem[] {
  const at = timeIn(step, "timestamp");
  const placed = { at, agent, source: rest(step, stepFields) };
  const content = partsOf(member(step, "message"));
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const from = textIn(step, "source");
  const results = listIn(objectIn(step, "observation"), "results");
  if (from === "user") return [{ type: "user", content, ...placed }, ...results.flatMap((one) => told(one, placed))];
  if (from === "system") {
    const said = results.flatMap((one) => told(one, placed));
    if (text === "" && said.length === 0) return [{ type: "record", kind: "empty system step", record: step, at, agent }];
    return [...(text === "" ? [] : [{ type: "system" as const, text, ...placed }]), ...said];
  }
  if (from !== "agent") return [{ type: "record", kind: `step of ${from || "nobody"}`, record: step, at, agent }];

  const calls = listIn(step, "tool_calls").flatMap((call, i): ToolCall[] => {
    if (!isObject(call)) return [];
    const id = textIn(call, "tool_call_id") || `step-${countIn(step, "step_id")}-${i}`;
    return [{ id, name: textIn(call, "function_name"), args: objectIn(call, "arguments") }];
  });
  const thinking = textIn(step, "reasoning_content");
  const parts: AssistantPart[] = [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, text: thinking }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map((call) => ({ type: "call" as const, ...call })),
  ];
  const message = { role: "assistant" as const, content: parts };
  if (member(step, "is_copied_context") === true) return [{ type: "context", message, ...placed }];
  const metrics = objectIn(step, "metrics");
  const model = textIn(step, "model_name");
  const reply: ImportedItem = {
    type: "reply",
    message,
    calls,
    usage: { input: countIn(metrics, "prompt_tokens"), output: countIn(metrics, "completion_tokens"), cached: countIn(metrics, "cached_tokens") }, // prettier-ignore
    stop: calls.length > 0 ? "calls" : "end",
    costUsd: numberIn(metrics, "cost_usd") ?? null,
    activeMs: numberIn(member(step, "extra"), "active_ms") ?? 0,
    ...(model === "" ? {} : { model }),
    ...placed,
  };
  return [reply, ...results.flatMap((one) => observed(one, { calls, placed, delegate }))];
}

/** What came of a call; of the step's last one where it does not say of which, as for all that was typed into one terminal. */
function observed(
  one: Json,
  o: { calls: readonly ToolCall[]; placed: { at: number | undefined; agent: string | undefined }; delegate: Context["delegate"] },
): ImportedItem[] {
  const { at, agent } = o.placed;
  if (!isObject(one)) return [unknownStep(one, agent)];
  const named = textIn(one, "source_call_id");
  const callId = named !== "" ? named : o.calls.at(-1)?.id;
  const references = listIn(one, "subagent_trajectory_ref");
  const below = references.flatMap((reference) => o.delegate(textIn(reference, "trajectory_id"), callId, at));
  const content = member(one, "content");
  if (content === undefined || content === null) return references.length > 0 ? below : [];
  const source = rest(one, ["source_call_id", "content"]);
  if (callId === undefined) return [...below, { type: "user", content: partsOf(content), at, agent, source }];
  const status = textIn(objectIn(one, "extra"), "status");
  const known = status === "error" || status === "denied" || status === "timeout" ? status : "ok";
  return [...below, { type: "result", callId, status: known, content: partsOf(content), at, agent, source }];
}

/** An observation that belongs to no call. */
const told = (one: Json, placed: { at: number | undefined; agent: string | undefined }): ImportedItem[] => {
  const content = partsOf(member(one, "content"));
  return content.length === 0 ? [] : [{ type: "user", content, at: placed.at, agent: placed.agent }];
};

const unknownStep = (step: Json, agent: string | undefined): ImportedItem => ({
  type: "record",
  kind: "step that is no object",
  record: { step },
  agent,
});

/** Images are named, not read: their files are the other agent's. */
function partsOf(value: Json | undefined): Part[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "text", text: value }];
  if (!Array.isArray(value)) return [];
  return value.map((part) => {
    if (textIn(part, "type") === "text") return { type: "text", text: textIn(part, "text") };
    const source = objectIn(part, "source");
    return { type: "text", text: `(${textIn(part, "type") || "something"}, ${textIn(source, "media_type")}: ${textIn(source, "path")})` };
  });
}

const messageText = (value: Json | undefined): string =>
  partsOf(value)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
