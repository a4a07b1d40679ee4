import type { Message, ToolReply } from "../../../harness/contract/messages.ts";
import type { PortQuestion, Ports, TimedReply, ToolContext } from "../../../harness/contract/ports.ts";
import type { RunState } from "../../../harness/agent/run-state.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../../harness/json.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../../read/rebuild-requests.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { ownerOf } from "../../read/lanes.ts";
import { replyOf } from "../recording/open-recording.ts";
import { UnansweredError } from "./shadow-middleware.ts";

/** A recorded run, laid out turn by turn, for whoever follows it without changing it. */
export interface Tape {
  /** The agent's run and those of the subagents that its calls began. */
  readonly lanes: readonly TapeLane[];
  /** Answers as recorded at the place that `at` names, and throws `UnansweredError` for everything else. */
  ports(state: () => RunState): Ports;
  /** Says where the follower stands: answers to a middleware are served only if they were given in this turn. */
  at(lane: TapeLane, turn: number): void;
  /** Sequence number of the call of a tool lane. */
  callAt(lane: string): number | undefined;
  /** What `run.end` says of a subagent. */
  endOf(lane: string): JsonObject | undefined;
}
export interface TapeLane {
  readonly name: string;
  readonly input: JsonObject;
  readonly seq: number;
  readonly turns: readonly TapeTurn[];
}
export interface TapeTurn {
  /** 1 for the first request of the lane. */
  readonly turn: number;
  readonly request: RebuiltRequest;
  readonly seq: number;
  /** Undefined where no try succeeded. */
  readonly reply: TimedReply | undefined;
  readonly replySeq: number;
}

/** `unanswered` hears of each question without an answer, and in which lane it was asked: a middleware may swallow the error that it gets. */
export function openTape({ events, lines }: LoadedTrace, unanswered: (lane: string) => void): Tape {
  const seqOf = (index: number): number => lines[index]?.seq ?? index;
  const turns = new Map<string, TapeTurn[]>();
  const byLane = new Map<string, { event: RunEvent; index: number }[]>();
  const rebuilder = createRequestRebuilder();
  events.forEach((event, index) => {
    const request = rebuilder.add(event);
    const { lane, t } = event;
    (byLane.get(lane) ?? byLane.set(lane, []).get(lane))?.push({ event, index });
    const known = turns.get(lane) ?? [];
    turns.set(lane, known);
    if (request) known.push({ turn: known.length + 1, request, seq: seqOf(index), reply: undefined, replySeq: seqOf(index) });
    const last = known.at(-1);
    if (t === "model.response" && last) {
      known[known.length - 1] = { ...last, reply: replyOf(event.d), replySeq: seqOf(index) };
    }
  });
  const lanes = events.flatMap(({ t, lane, d }, index): TapeLane[] =>
    t === "run.start" && !lane.includes("/mw:")
      ? [{ name: lane, input: d["input"] as JsonObject, seq: seqOf(index), turns: turns.get(lane) ?? [] }] // checked by L0
      : [],
  );
  const place = { lane: lanes[0], from: 0, to: Number.POSITIVE_INFINITY };
  const asked = new Set<RunEvent>();
  const take = (lane: string, wanted: (event: RunEvent, seq: number) => boolean): RunEvent | undefined => {
    const found = byLane.get(lane)?.find(({ event, index }) => !asked.has(event) && wanted(event, seqOf(index)))?.event;
    if (found) asked.add(found);
    return found;
  };
  const answer = ({ lane, port, op, argsDigest }: PortQuestion): Json => {
    const event = take(lane, ({ t, d }, seq) => {
      const fits = t === "port.read" && d["port"] === port && d["op"] === op && d["argsDigest"] === argsDigest;
      return fits && seq >= place.from && seq < place.to;
    });
    if (!event) {
      unanswered(lane);
      throw new UnansweredError(`The recording has no result for ${port}.${op} in lane ${lane} at this turn.`);
    }
    return event.d["result"] ?? null;
  };
  const callTool = (state: RunState, callId: string, { lane }: ToolContext): ToolReply & { activeMs: number } => {
    const event = take(lane, ({ t }) => t === "tool.result");
    for (const { event: other } of byLane.get(lane) ?? []) {
      const child = other.t === "agent.join" && !asked.has(other) ? endOf(String(other.d["lane"])) : undefined;
      if (!child) continue;
      asked.add(other);
      state.account.join(child["spent"] as never); // what `run.end` records
    }
    if (event) return { ...(event.d["reply"] as unknown as ToolReply), activeMs: Number(event.d["activeMs"]) }; // checked by L0
    const told = toldOf(place.lane, callId);
    if (!told) throw new UnansweredError(`The recording has no result of the call in lane ${lane}.`);
    return { status: told.status, content: told.content, effects: { edited: [] }, activeMs: 0 };
  };
  const endOf = (lane: string): JsonObject | undefined => byLane.get(lane)?.find(({ event }) => event.t === "run.end")?.event.d;
  return {
    lanes,
    endOf,
    callAt(lane) {
      const found = byLane.get(lane)?.find(({ event }) => event.t === "tool.call");
      return found && seqOf(found.index);
    },
    at(lane, turn) {
      const before = lane.turns[turn - 2];
      const after = lane.turns[turn];
      Object.assign(place, { lane, from: before?.replySeq ?? 0, to: after?.seq ?? Number.POSITIVE_INFINITY });
    },
    ports: (state) => ({
      model: {
        identity: { provider: "recorded", name: "recorded", protocol: "native", priceTable: null },
        async call(_request, { place: { lane } }) {
          const event = take(lane, ({ t }, seq) => t === "model.response" && seq >= place.from && seq < place.to);
          if (!event || ownerOf(lane) === lane) {
            unanswered(lane);
            throw new UnansweredError(`The recording has no side call in lane ${lane} at this turn.`);
          }
          return replyOf(event.d);
        },
      },
      tools: { schemas: [], readOnly: () => true, call: async (call, context) => callTool(state(), call.id, context) },
      sandbox: undefined as never, // every question goes to `recorded`
      clock: { now: () => 0, sleep: async () => undefined },
      random: { next: () => 0 },
      user: { ask: async () => undefined },
      sink: { emit: () => undefined, flush: async () => undefined },
      recorded: { now: answer, later: async (question) => answer(question) },
    }),
  };
}

/** What the model was told of a call that the recording refused. */
function toldOf(lane: TapeLane | undefined, callId: string): Extract<Message, { role: "tool" }> | undefined {
  for (const { request } of lane?.turns ?? []) {
    const found = request.messages.find((message) => message.role === "tool" && message.callId === callId);
    if (found?.role === "tool") return found;
  }
  return undefined;
}
