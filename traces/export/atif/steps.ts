import { callsIn, resultOf, textOf, type AssistantMessage, type Message, type Part, type Section, type ToolCall } from "../../../harness/contract/messages.ts"; // prettier-ignore
import type { JsonObject } from "../../../harness/json.ts";
import type { Conversation } from "../conversations.ts";
import type { ExportedEvent } from "../exported-run.ts";
import { dataOf, isoTime } from "../recorded.ts";
import type { Images } from "./images.ts";
import type { AtifResult, AtifStep } from "./trajectory.ts";

export interface StepOptions {
  readonly images: Images;
  /** The trajectory of a lane's conversation. */
  idOf(lane: string): string;
  /** Any event of the run by `lane#n`. */
  eventAt(reference: string): ExportedEvent | undefined;
}
type Draft = Omit<AtifStep, "step_id">;

/** The steps of one conversation. There is always one. */
export function stepsOf({ lane, events }: Conversation, o: StepOptions): AtifStep[] {
  const steps: Draft[] = [];
  /** Results by the id of their call: of the newest step that has it. */
  const open = new Map<string, { step: Draft; results: AtifResult[] }>();
  const told = new Set<string>();
  let noted: JsonObject[] = [];
  let failedTries = 0;

  const push = (event: ExportedEvent, draft: Draft): Draft => {
    const timestamp = isoTime(event.ts);
    const step = { ...(timestamp === undefined ? {} : { timestamp }), ...draft };
    steps.push(step);
    return step;
  };

  const tell = (request: ExportedEvent, reference: string): void => {
    if (told.has(reference)) return;
    told.add(reference);
    const source = o.eventAt(reference);
    if (source?.t === "run.start") {
      const { task, images = [] } = dataOf(source, "run.start").input as unknown as { task: string; images?: Part[] }; // as the loop reads it
      push(request, { source: "user", message: o.images.content([{ type: "text", text: task }, ...images]) });
    } else if (source?.t === "middleware") {
      const { name, phase, text = "", why } = dataOf(source, "middleware");
      push(request, { source: "user", message: text, extra: { middleware: name, phase, why } });
    }
  };

  const bring = (event: ExportedEvent, message: Message): void => {
    if (message.role === "user") push(event, { source: "user", message: o.images.content(message.content), extra: { by: "harness" } });
    else if (message.role === "assistant")
      push(event, { source: "agent", message: textOf(message.content), llm_call_count: 0, is_copied_context: true });
    else {
      const content = o.images.content(message.content);
      const found = open.get(message.callId)?.results.findLast(({ source_call_id: id }) => id === message.callId);
      if (!found) push(event, { source: "system", message: "", observation: { results: [{ content }] }, is_copied_context: true });
      else if (JSON.stringify(found.content) !== JSON.stringify(content)) {
        // what the model saw counts; what the tool said stays beside it
        found.extra = {
          ...found.extra,
          before_middleware: typeof found.content === "string" ? found.content : JSON.stringify(found.content),
        };
        found.content = content;
      }
    }
  };

  const answer = (event: ExportedEvent): void => {
    const { message: said, calls: named, usage, stop, costUsd, activeMs, ...more } = dataOf(event, "model.response");
    const message = said as unknown as AssistantMessage; // checked by L0
    const calls = (named as unknown as ToolCall[] | undefined) ?? callsIn(message);
    const thinking = message.content.flatMap((part) => (part.type === "thinking" && part.text !== "" ? [part.text] : [])).join("\n");
    const served = more["served"] as { model?: unknown } | undefined; // loose data: looked at below
    const step = push(event, {
      source: "agent",
      ...(typeof served?.model === "string" ? { model_name: served.model } : {}),
      message: textOf(message.content),
      ...(thinking === "" ? {} : { reasoning_content: thinking }),
      ...(calls.length > 0
        ? { tool_calls: calls.map(({ id, name, args, error }) => ({ tool_call_id: id, function_name: name, arguments: args, ...(error === undefined ? {} : { extra: { error } }) })) } // prettier-ignore
        : {}),
      metrics: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        cached_tokens: usage.cached,
        ...(costUsd === null ? {} : { cost_usd: costUsd }),
      },
      llm_call_count: 1,
      extra: {
        seq: event.seq,
        stop,
        active_ms: activeMs,
        ...(failedTries > 0 ? { failed_tries: failedTries } : {}),
        ...(noted.length > 0 ? { interventions: noted } : {}),
      },
    });
    failedTries = 0;
    noted = [];
    const results: AtifResult[] = [];
    for (const { id } of calls) open.set(id, { step, results });
  };

  const observe = (event: ExportedEvent): void => {
    const { reply, activeMs, ...more } = dataOf(event, "tool.result");
    const id = String(more["callId"]);
    const content = o.images.content(reply.content as unknown as Part[]); // checked by L0
    const { edited, check } = reply.effects;
    const judged = check && { check: { command: check.command, result: resultOf(check) } };
    const extra = { status: reply.status, active_ms: activeMs, edited, ...judged };
    const call = open.get(id);
    if (!call) return void push(event, { source: "system", message: "", observation: { results: [{ content, extra }] } });
    call.results.push({ source_call_id: id, content, extra });
    call.step.observation = { results: call.results };
  };

  const delegated = (event: ExportedEvent): void => {
    const spawned = String(event.d["lane"]);
    const call = events.find(({ t, lane: at }) => t === "tool.call" && at === event.lane);
    const id = call ? dataOf(call, "tool.call").call.id : undefined;
    const place = id === undefined ? undefined : open.get(id);
    if (id === undefined || !place) return;
    place.results.push({ source_call_id: id, subagent_trajectory_ref: [{ trajectory_id: o.idOf(spawned), extra: { lane: spawned } }] });
    place.step.observation = { results: place.results };
  };

  for (const event of events) {
    if (event.t === "model.request" && event.lane === lane) {
      const { system, add } = dataOf(event, "model.request");
      if (system) push(event, { source: "system", message: promptOf(system) });
      for (const entry of add) {
        if ("message" in entry)
          bring(event, entry.message as unknown as Message); // as above
        else tell(event, String(entry["ref"]));
      }
    } else if (event.t === "model.response" && event.lane === lane) answer(event);
    else if (event.t === "model.attempt" && event.lane === lane) failedTries++;
    else if (event.t === "tool.result") observe(event);
    else if (event.t === "agent.spawn") delegated(event);
    else if (event.t === "middleware" && typeof event.d["text"] !== "string") {
      const { name, phase, change, why } = dataOf(event, "middleware");
      noted.push({ middleware: name, phase, change, why });
    }
  }
  const start = events.find((event) => event.t === "run.start" && event.lane === lane);
  if (start) tell(start, `${lane}#${start.n}`); // of a run that ended before its first request
  const last = steps.at(-1);
  if (last && noted.length > 0) last.extra = { ...last.extra, interventions_after: noted };
  if (steps.length === 0) steps.push({ source: "system", message: "This conversation is empty." });
  return steps.map((step, i) => ({ step_id: i + 1, ...step }));
}

const promptOf = (system: readonly Section[]): string => system.map(({ text }) => text).join("\n\n");
