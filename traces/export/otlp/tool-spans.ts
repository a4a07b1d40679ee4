import type { Part } from "../../../harness/contract/messages.ts";
import { resultOf, textOf } from "../../../harness/contract/messages.ts";
import type { Conversation } from "../conversations.ts";
import type { ExportedRun } from "../exported-run.ts";
import { dataOf } from "../recorded.ts";
import { attributes } from "./attributes.ts";
import { createTimes, spanIdOf, spanKind, traceIdOf, type Span } from "./span.ts";

/** A span a call, with its lane. One that was never answered ends where it began. */
export function toolSpans({ events }: Conversation, { run, agent }: { run: ExportedRun; agent: string }): { lane: string; span: Span }[] {
  const time = createTimes(run);
  const results = new Map(events.filter(({ t }) => t === "tool.result").map((event) => [String(event.cause[0]), event]));
  return events.flatMap((event) => {
    if (event.t !== "tool.call") return [];
    const { call, turn } = dataOf(event, "tool.call");
    const answered = results.get(`${event.lane}#${event.n}`);
    const result = answered ? dataOf(answered, "tool.result") : undefined;
    const status = result?.reply.status;
    const said = result ? textOf(result.reply.content as unknown as Part[]) : undefined; // checked by L0
    const check = result?.reply.effects.check;
    const span: Span = {
      traceId: traceIdOf(run),
      spanId: spanIdOf(run, event),
      parentSpanId: agent,
      name: `execute_tool ${call.name.toWellFormed()}`,
      kind: spanKind.internal,
      startTimeUnixNano: time(event),
      endTimeUnixNano: time(answered ?? event),
      attributes: attributes({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": JSON.stringify(call.args),
        "gen_ai.tool.call.result": said,
        "error.type": status === "ok" ? undefined : (status ?? "unanswered"),
        "forge.edited": result?.reply.effects.edited,
        "forge.check.command": check?.command,
        "forge.check.result": check && resultOf(check),
        "forge.active_ms": result?.activeMs,
        "forge.turn": turn,
        "forge.lane": event.lane,
        "forge.seq": event.seq,
      }),
      ...(status === "ok" ? {} : { status: { code: 2 as const, message: status ?? "unanswered" } }),
    };
    return [{ lane: event.lane, span }];
  });
}
