import type { ToolCall, Usage } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import type { ImportedItem } from "../imported-session.ts";
import { answerIn, assistantParts, messagesIn, partsOf, textOfParts, type ForeignMessage } from "./langsmith-messages.ts";
import { countIn, listIn, member, numberIn, objectIn, textIn } from "./lenient-fields.ts";

/** An agent's conversation as it is known so far. */
interface Known {
  /** What its last request held, and that with what came of it. */
  asked: ForeignMessage[];
  heard: ForeignMessage[];
  prompt: string;
  readonly open: Map<string, ToolCall>;
}

/**
 * The runs of a trace in their order. An `llm` run's messages that are not known yet are what was said before it, its answer is a reply; a `tool` run is
 * the result of the call that it names, or that it fits. Of subagents only Forge's own are told apart. All else is kept and counted by its type.
 */
export function langsmithItems(runs: readonly JsonObject[]): ImportedItem[] {
  const [root] = runs;
  const items: ImportedItem[] = [];
  const agents = new Map<string, string>();
  const known = new Map<string | undefined, Known>();
  const knownOf = (agent: string | undefined): Known => {
    const found = known.get(agent) ?? { asked: [], heard: [], prompt: "", open: new Map() };
    known.set(agent, found);
    return found;
  };
  for (const run of runs) {
    const id = textIn(run, "id");
    const above = agents.get(textIn(run, "parent_run_id"));
    const type = textIn(run, "run_type");
    const placed = { at: startOf(run), agent: above };
    const isSubagent = run !== root && type === "chain" && textIn(metadataOf(run), "forge_lane") !== "";
    if (isSubagent) agents.set(id, id);
    else if (above !== undefined) agents.set(id, above);
    if (isSubagent)
      items.push({ type: "spawn", key: id, callId: callAbove(runs, run), task: textIn(objectIn(run, "inputs"), "task"), ...placed });
    else if (type === "llm" && isObject(member(run, "outputs"))) items.push(...modelItems(run, knownOf(above), placed));
    else if (type === "tool") items.push(...toolItems(run, knownOf(above), placed));
    else if (run !== root) items.push({ type: "record", kind: `${type || "untyped"} run`, record: run, ...placed });
  }
  return items;
}

type Placed = { readonly at: number | undefined; readonly agent: string | undefined };

function modelItems(run: JsonObject, known: Known, placed: Placed): ImportedItem[] {
  const inputs = objectIn(run, "inputs");
  const told = messagesIn(inputs);
  const prompt = told.filter(({ role }) => role === "system").map(({ parts }) => textOfParts(parts)).join("\n\n"); // prettier-ignore
  const items: ImportedItem[] = [];
  if (prompt !== "" && prompt !== known.prompt) {
    items.push({ type: "system", text: prompt, ...placed });
    known.prompt = prompt;
  }
  const kept = numberIn(inputs, "messages_kept");
  const asked = [...(kept === undefined ? [] : known.asked.slice(0, kept)), ...told.filter(({ role }) => role !== "system")];
  let same = 0;
  while (same < known.heard.length && same < asked.length && isSame(known.heard[same], asked[same])) same++;
  const shortened = same < known.heard.length;
  if (shortened) items.push({ type: "compact", ...placed });
  for (const message of asked.slice(shortened ? 0 : same)) items.push(saidItem(message, known, shortened, placed));
  const answer = answerIn(objectIn(run, "outputs"));
  known.asked = asked;
  known.heard = answer ? [...asked, answer] : asked;
  if (!answer) return [...items, { type: "record", kind: "llm run without a message", record: run, ...placed }];
  known.open.clear();
  const calls = answer.calls.map((call, i) => (call.id === "" ? { ...call, id: `${textIn(run, "id")}-${i}` } : call));
  for (const call of calls) known.open.set(call.id, call);
  const model = textIn(metadataOf(run), "ls_model_name");
  const end = timeOf(member(run, "end_time"));
  return [
    ...items,
    {
      type: "reply",
      message: { role: "assistant", content: assistantParts({ ...answer, calls }) },
      calls,
      usage: usageOf(run),
      stop: calls.length > 0 ? "calls" : "end",
      costUsd: numberIn(run, "total_cost") ?? numberIn(usageIn(run), "total_cost") ?? null,
      activeMs: end !== undefined && placed.at !== undefined ? Math.max(0, end - placed.at) : 0,
      ...(model === "" ? {} : { model }),
      ...placed,
    },
  ];
}

/** After a conversation was shortened, results have no call any more that they could belong to. */
function saidItem(message: ForeignMessage, { open }: Known, shortened: boolean, placed: Placed): ImportedItem {
  const { role, parts, callId } = message;
  if (role === "assistant") return { type: "context", message: { role, content: assistantParts(message) }, ...placed };
  if (role === "tool" && !shortened && open.delete(callId)) return { type: "result", callId, status: "ok", content: parts, ...placed };
  return { type: "user", content: parts, ...placed, ...(role === "tool" ? { source: { from: "tool", callId } } : {}) };
}

function toolItems(run: JsonObject, known: Known, placed: Placed): ImportedItem[] {
  const outputs = objectIn(run, "outputs");
  const output = member(outputs, "output") ?? (Object.keys(outputs).length > 0 ? outputs : null);
  const message = isObject(output) && isObject(member(output, "kwargs")) ? objectIn(output, "kwargs") : isObject(output) ? output : {};
  const named = textIn(metadataOf(run), "tool_call_id") || textIn(message, "tool_call_id");
  const fits = [...known.open.values()].filter(({ name }) => name === textIn(run, "name"));
  const callId = known.open.has(named) ? named : named === "" && fits.length === 1 ? fits[0]?.id : undefined;
  if (callId === undefined) return [{ type: "record", kind: "tool run without a call", record: run, ...placed }];
  const error = textIn(run, "error");
  const told = [textIn(outputs, "status"), textIn(message, "status"), error].find((one) => one !== "");
  const status = told === "denied" || told === "timeout" ? told : error !== "" || told === "error" ? "error" : "ok";
  const content = partsOf(member(message, "content") ?? output ?? error);
  known.open.delete(callId);
  known.heard.push({ role: "tool", parts: content, thinking: "", calls: [], callId });
  return [{ type: "result", callId, status, content, at: timeOf(member(run, "end_time")) ?? placed.at, agent: placed.agent }];
}

/** The call that a subagent's run stands below. */
function callAbove(runs: readonly JsonObject[], run: JsonObject): string | undefined {
  const above = runs.find((one) => textIn(one, "id") === textIn(run, "parent_run_id"));
  return above && textIn(above, "run_type") === "tool" ? textIn(metadataOf(above), "tool_call_id") || undefined : undefined;
}

function isSame(a: ForeignMessage | undefined, b: ForeignMessage | undefined): boolean {
  if (!a || !b || a.role !== b.role) return false;
  if (a.role === "tool" && a.callId !== "" && b.callId !== "") return a.callId === b.callId;
  const names = (one: ForeignMessage): string => one.calls.map(({ name }) => name).join(" ");
  return textOfParts(a.parts).trim() === textOfParts(b.parts).trim() && names(a) === names(b);
}

export const metadataOf = (run: JsonObject): JsonObject => objectIn(objectIn(run, "extra"), "metadata");
const usageIn = (run: JsonObject): JsonObject => {
  const outputs = objectIn(run, "outputs");
  const own = objectIn(outputs, "usage_metadata");
  return Object.keys(own).length > 0 ? own : objectIn(metadataOf(run), "usage_metadata");
};

function usageOf(run: JsonObject): Usage {
  const usage = usageIn(run);
  const older = objectIn(objectIn(objectIn(run, "outputs"), "llm_output"), "token_usage");
  return {
    input: countIn(usage, "input_tokens") || countIn(run, "prompt_tokens") || countIn(older, "prompt_tokens"),
    output: countIn(usage, "output_tokens") || countIn(run, "completion_tokens") || countIn(older, "completion_tokens"),
    cached: countIn(objectIn(usage, "input_token_details"), "cache_read"),
  };
}

export const startOf = (run: JsonObject): number | undefined => timeOf(member(run, "start_time"));

/** LangSmith's times are UTC, with or without saying so; some are Unix milliseconds. */
function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== "string") return undefined;
  const time = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`);
  return Number.isFinite(time) && time >= 0 ? time : undefined;
}

/** What a run was asked: the text of its inputs where there is one. */
export function taskIn(root: JsonObject): string {
  const inputs = objectIn(root, "inputs");
  for (const key of ["task", "input", "question", "query", "prompt"]) if (textIn(inputs, key) !== "") return textIn(inputs, key);
  const first = messagesIn(inputs).find(({ role }) => role === "user");
  return first
    ? textOfParts(first.parts)
    : listIn(inputs, "messages").length > 0 || Object.keys(inputs).length === 0
      ? ""
      : JSON.stringify(inputs);
}
