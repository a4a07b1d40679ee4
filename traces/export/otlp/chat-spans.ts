import { callsIn, type AssistantMessage, type ToolCall } from "../../../harness/contract/messages.ts";
import type { Conversation } from "../conversations.ts";
import type { ExportedEvent } from "../exported-run.ts";
import { exchangesOf } from "../exchanges.ts";
import { isObject } from "../../../harness/json.ts";
import { dataOf } from "../recorded.ts";
import { attributes, type Attribute } from "./attributes.ts";
import { inputOf, outputOf } from "./messages.ts";
import { createTimes, spanIdOf, spanKind, traceIdOf, type Span, type SpanContext, type SpanEvent } from "./span.ts";

/** A span a request: from its first try to its answer, with failed tries as events. */
export function chatSpans({ lane, events }: Conversation, { run, agent, eventAt }: SpanContext & { agent: string }): Span[] {
  const time = createTimes(run);
  const own = events.filter((event) => event.lane === lane);
  return exchangesOf(own).flatMap(({ request, tries, answer }) => {
    const last = answer ?? tries.at(-1) ?? request;
    const failed = answer ? undefined : tries.at(-1);
    const { name, known } = requestOf(request, { run, eventAt });
    return [
      {
        traceId: traceIdOf(run),
        spanId: spanIdOf(run, request),
        parentSpanId: agent,
        name: name === undefined ? "chat" : `chat ${name.toWellFormed()}`,
        kind: spanKind.client,
        startTimeUnixNano: time(request),
        endTimeUnixNano: time(last),
        attributes: [
          ...known,
          ...(answer ? answerOf(answer) : failed ? attributes({ "error.type": dataOf(failed, "model.attempt").kind }) : []),
        ],
        events: tries.map((event) => failedTry(event, time)),
        ...(failed ? { status: { code: 2 as const, message: dataOf(failed, "model.attempt").message.toWellFormed() } } : {}),
      },
    ];
  });
}

function requestOf(request: ExportedEvent, { run, eventAt }: SpanContext): { name: string | undefined; known: Attribute[] } {
  const { params, seed, system, keep, add, turn } = dataOf(request, "model.request");
  const model = run.events[0]?.d["model"];
  const { name, provider } = isObject(model) ? model : {};
  const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  const sections = system?.map(({ text }) => ({ type: "text", content: text }));
  const modelName = typeof name === "string" ? name : undefined;
  return {
    name: modelName,
    known: attributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": typeof provider === "string" ? provider : undefined,
      "gen_ai.request.model": modelName,
      "gen_ai.conversation.id": run.id,
      "gen_ai.request.max_tokens": params.maxOutputTokens,
      "gen_ai.request.temperature": number(params["temperature"]),
      "gen_ai.request.top_p": number(params["topP"]),
      "gen_ai.request.seed": seed,
      "gen_ai.system_instructions": sections ? JSON.stringify(sections) : undefined,
      "gen_ai.input.messages": JSON.stringify(add.flatMap((entry) => inputOf(entry, eventAt))),
      "forge.input.messages.kept": keep,
      "forge.turn": turn,
      "forge.lane": request.lane,
      "forge.seq": request.seq,
    }),
  };
}

function answerOf(event: ExportedEvent): Attribute[] {
  const { message, calls, usage, stop, costUsd, activeMs, ...more } = dataOf(event, "model.response");
  const said = message as unknown as AssistantMessage; // checked by L0
  const served = isObject(more["served"]) ? more["served"] : {};
  const reason = { end: "stop", calls: "tool_call", length: "length", refusal: "content_filter" }[stop];
  const asked = (calls as unknown as ToolCall[] | undefined) ?? callsIn(said);
  return attributes({
    "gen_ai.response.model": typeof served["model"] === "string" ? served["model"] : undefined,
    "gen_ai.response.id": typeof served["requestId"] === "string" ? served["requestId"] : undefined,
    "gen_ai.response.finish_reasons": [reason],
    "gen_ai.usage.input_tokens": usage.input,
    "gen_ai.usage.output_tokens": usage.output,
    "gen_ai.usage.cache_read.input_tokens": usage.cached,
    "gen_ai.output.messages": JSON.stringify([outputOf(said, asked, reason)]),
    "forge.cost_usd": costUsd,
    "forge.active_ms": activeMs,
  });
}

function failedTry(event: ExportedEvent, time: (event: ExportedEvent) => string): SpanEvent {
  const { kind, message, status, attempt } = dataOf(event, "model.attempt");
  const known = { "error.type": kind, "exception.message": message, "http.response.status_code": status, "forge.attempt": attempt };
  return { timeUnixNano: time(event), name: "forge.failed_try", attributes: attributes(known) };
}
