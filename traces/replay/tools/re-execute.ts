import type { Part, ToolCall, ToolReply } from "../../../harness/contract/messages.ts";
import type { Tools } from "../../../harness/contract/ports.ts";
import type { EventData, RunEvent } from "../../../harness/events/schema.ts";

/** A tool call of a recorded run. */
export interface RecordedCall {
  /** Its place among all calls of the run, from 1. */
  readonly step: number;
  readonly lane: string;
  readonly turn: number;
  readonly call: ToolCall;
  /** Undefined where the run ended in the middle of the call. */
  readonly reply: Pick<ToolReply, "status" | "content"> | undefined;
  /** Hash of the workdir's files after the call, where a snapshot was recorded: where the call changed them. */
  readonly tree: string | undefined;
}

/** A call that was carried out again, and what both times gave. */
export interface ReExecuted extends RecordedCall {
  readonly now: Pick<ToolReply, "status" | "content">;
  readonly same: boolean;
  readonly treeNow: string | undefined;
}

/** The calls of a run in the order in which they were started, of subagents too. A call that starts a subagent is none: its calls are. */
export function recordedCalls(events: readonly RunEvent[]): RecordedCall[] {
  const replies = new Map<string, RecordedCall["reply"]>();
  const spawned = new Set<string>();
  const trees = new Map<string, string>();
  const results = new Map<string, string>();
  for (const { t, lane, n, cause, d } of events) {
    // the trace was checked against the schemas of its events, or against its hashes
    if (t === "tool.result") {
      replies.set(`${lane} ${String(d["callId"])}`, (d as unknown as { reply: ToolReply }).reply);
      results.set(`${lane}#${n}`, `${lane} ${String(d["callId"])}`);
    } else if (t === "fs.snapshot") trees.set(results.get(cause[0] ?? "") ?? "", String(d["tree"]));
    else if (t === "agent.spawn") spawned.add(lane);
  }
  const calls = events.flatMap(({ t, lane, d }) => {
    if (t !== "tool.call" || spawned.has(lane)) return [];
    const { call, turn } = d as unknown as EventData<"tool.call"> & { call: ToolCall }; // as above
    return [{ lane, turn, call, reply: replies.get(`${lane} ${call.id}`), tree: trees.get(`${lane} ${call.id}`) }];
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
    const { status, content, snapshot } = await tools.call(call, context);
    const treeNow = snapshot?.t === "fs.snapshot" ? String(snapshot.d["tree"]) : undefined;
    const expected = o.expected ?? ((text: string) => text);
    const same = status === reply.status && expected(textOf(reply.content)) === textOf(content);
    const step: ReExecuted = { ...recorded, now: { status, content }, same, treeNow };
    done.push(step);
    o.onStep?.(step);
  }
  return done;
}

/** The first call after which the workdir held something else than in the recording; undefined where none did, or nothing was recorded of it. */
export function firstOtherTree(steps: readonly ReExecuted[]): ReExecuted | undefined {
  let [recorded, now]: (string | undefined)[] = [];
  return steps.find((step) => {
    // a call without a snapshot left all as it was; where only one has it, the other one's is known from a call before, or it changed nothing at all yet
    [recorded, now] = [step.tree ?? recorded, step.treeNow ?? now];
    return recorded !== now;
  });
}

/** What a model sees of a result, as text; other parts in their JSON form. */
export function textOf(content: readonly Part[]): string {
  return content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))).join("\n");
}
