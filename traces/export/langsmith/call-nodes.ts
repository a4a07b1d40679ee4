import { callsIn, resultOf, textOf, type AssistantMessage, type Part, type ToolCall } from "../../../harness/contract/messages.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { addedMessage } from "../added-messages.ts";
import type { Conversation } from "../conversations.ts";
import { exchangesOf, type Exchange } from "../exchanges.ts";
import type { ExportedEvent } from "../exported-run.ts";
import { isObject } from "../../../harness/json.ts";
import { dataOf } from "../recorded.ts";
import { chatAnswer, chatMessage } from "./chat-messages.ts";
import { dottedOrder, type LangSmithRun, type TreeContext } from "./langsmith-run.ts";

/** A request or a call, with the lane it has of its own. */
interface CallNode {
  readonly lane: string;
  readonly run_type: "llm" | "tool";
  readonly node: LangSmithRun;
}

/** The requests and calls of one agent, in the order of the trace. One that was never answered ends where it began, and says so. */
export function callNodes({ lane, events }: Conversation, context: TreeContext, agent: LangSmithRun): CallNode[] {
  const exchanges = new Map(exchangesOf(events.filter((event) => event.lane === lane)).map((one) => [one.request, one]));
  const results = new Map(events.filter(({ t }) => t === "tool.result").map((event) => [String(event.cause[0]), event]));
  return events.flatMap((event): CallNode[] => {
    if (event.t === "tool.call") {
      const node = toolNode(event, results.get(`${event.lane}#${event.n}`), context, agent);
      return [{ lane: event.lane, run_type: "tool", node }];
    }
    const exchange = exchanges.get(event);
    return exchange ? [{ lane, run_type: "llm", node: modelNode(exchange, context, agent) }] : [];
  });
}

function nodeOf(event: ExportedEvent, last: ExportedEvent, { idOf, timeOf }: TreeContext, parent: LangSmithRun) {
  const id = idOf(event);
  const start = timeOf(event);
  return {
    id,
    trace_id: parent.trace_id,
    parent_run_id: parent.id,
    dotted_order: dottedOrder(start, id, parent),
    start_time: start,
    end_time: timeOf(last),
  };
}

function modelNode({ request, tries, answer }: Exchange, context: TreeContext, agent: LangSmithRun): LangSmithRun {
  const { params, seed, system, tools, keep, add, turn } = dataOf(request, "model.request");
  const model = context.run.events[0]?.d["model"];
  const { name, provider } = isObject(model) ? model : {};
  const modelName = typeof name === "string" ? name : "model";
  const failed = answer ? undefined : tries.at(-1);
  const added = add.flatMap((entry) => addedMessage(entry, context.eventAt) ?? []).map(chatMessage);
  const instructions = (system ?? []).map(({ text }): JsonObject => ({ role: "system", content: text }));
  return {
    ...nodeOf(request, answer ?? tries.at(-1) ?? request, context, agent),
    name: modelName,
    run_type: "llm",
    inputs: { messages: [...instructions, ...added], messages_kept: keep, ...(tools ? { tools } : {}) },
    ...(answer ? { outputs: answerOf(answer) } : { error: failed ? dataOf(failed, "model.attempt").message : "There was no reply." }),
    ...(tries.length > 0 ? { events: tries.map((event) => ({ name: "failed try", time: context.timeOf(event), kwargs: event.d })) } : {}),
    extra: {
      invocation_params: { ...(params as JsonObject), ...(seed === undefined ? {} : { seed }) }, // recorded data is JSON
      metadata: {
        ls_model_type: "chat",
        ls_model_name: modelName,
        ...(typeof provider === "string" ? { ls_provider: provider } : {}),
        forge_turn: turn,
        forge_lane: request.lane,
        forge_seq: request.seq,
      },
    },
  };
}

function answerOf(event: ExportedEvent): JsonObject {
  const { message, calls, usage, stop, costUsd } = dataOf(event, "model.response");
  const said = message as unknown as AssistantMessage; // checked by L0
  const asked = (calls as unknown as ToolCall[] | undefined) ?? callsIn(said);
  return {
    messages: [chatAnswer(said, asked)],
    finish_reason: stop,
    usage_metadata: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      input_token_details: { cache_read: usage.cached },
      ...(costUsd === null ? {} : { total_cost: costUsd }),
    },
  };
}

function toolNode(event: ExportedEvent, answered: ExportedEvent | undefined, context: TreeContext, agent: LangSmithRun): LangSmithRun {
  const { call, turn } = dataOf(event, "tool.call");
  const result = answered && dataOf(answered, "tool.result");
  const effects = result?.reply.effects;
  const judged = effects?.check && { check: { command: effects.check.command, result: resultOf(effects.check) } };
  const status = result?.reply.status ?? "unanswered";
  const said = result ? textOf(result.reply.content as unknown as Part[]) : undefined; // checked by L0
  return {
    ...nodeOf(event, answered ?? event, context, agent),
    name: call.name,
    run_type: "tool",
    inputs: call.args as JsonObject, // as above
    ...(said === undefined ? {} : { outputs: { output: said, status, edited: effects?.edited ?? [], ...judged } }),
    ...(status === "ok" ? {} : { error: status }),
    extra: { metadata: { tool_call_id: call.id, forge_turn: turn, forge_lane: event.lane, forge_seq: event.seq } },
  };
}
