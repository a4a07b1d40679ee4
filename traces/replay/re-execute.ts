import type { Part, ToolCall, ToolReply } from "../../harness/agent/messages.ts";
import type { Tools } from "../../harness/agent/ports.ts";
import type { EventData, RunEvent } from "../../harness/events/schema.ts";

/** A tool call of a recorded run. */
export interface RecordedCall {
  /** Its place among all calls of the run, from 1. */
  readonly step: number;
  readonly lane: string;
  readonly turn: number;
  readonly call: ToolCall;
  /** Undefined where the run ended in the middle of the call. */
  readonly reply: Pick<ToolReply, "status" | "content"> | undefined;
}

/** A call that was carried out again, and what both times gave. */
export interface ReExecuted extends RecordedCall {
  readonly now: Pick<ToolReply, "status" | "content">;
  readonly same: boolean;
}

/** The calls of a run in the order in which they were begun, of subagents too. A call that starts a subagent is none: its calls are. */
export function recordedCalls(events: readonly RunEvent[]): RecordedCall[] {
  const replies = new Map<string, RecordedCall["reply"]>();
  const spawned = new Set<string>();
  for (const { t, lane, d } of events) {
    // the trace was checked against the schemas of its events, or against its hashes
    if (t === "tool.result") replies.set(`${lane} ${String(d["callId"])}`, (d as unknown as { reply: ToolReply }).reply);
    else if (t === "agent.spawn") spawned.add(lane);
  }
  const calls = events.flatMap(({ t, lane, d }) => {
    if (t !== "tool.call" || spawned.has(lane)) return [];
    const { call, turn } = d as unknown as EventData<"tool.call"> & { call: ToolCall }; // as above
    return [{ lane, turn, call, reply: replies.get(`${lane} ${call.id}`) }];
  });
  return calls.map((call, i) => ({ step: i + 1, ...call }));
}

/**
 * Carries recorded calls out again, one after the other, without a model. A call in which the run ended is left out: how far it came is not known.
 * @param o.expected what a recorded text would be here, such as with this sandbox's own paths in place of the recorded one's
 */
export async function reExecute(
  calls: readonly RecordedCall[],
  tools: Tools,
  o: { readonly signal: AbortSignal; readonly expected?: (text: string) => string; readonly onStep?: (step: ReExecuted) => void },
): Promise<ReExecuted[]> {
  const done: ReExecuted[] = [];
  for (const recorded of calls) {
    const { reply, call, lane, turn } = recorded;
    if (!reply) continue;
    o.signal.throwIfAborted();
    const context = { lane, turn, signal: o.signal, earlier: Promise.resolve(), emit: () => undefined, spawn: async () => ({}) };
    const { status, content } = await tools.call(call, context);
    const expected = o.expected ?? ((text: string) => text);
    const same = status === reply.status && expected(textOf(reply.content)) === textOf(content);
    const step: ReExecuted = { ...recorded, now: { status, content }, same };
    done.push(step);
    o.onStep?.(step);
  }
  return done;
}

/** What a model sees of a result, as text; other parts in their JSON form. */
export function textOf(content: readonly Part[]): string {
  return content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))).join("\n");
}
