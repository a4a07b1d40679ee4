import { createEmitter } from "../../harness/agent/record/emitter.ts";
import { componentHash } from "../../harness/agent/record/request-hash.ts";
import { createRequestRecorder } from "../../harness/agent/record/request-record.ts";
import { createAccount } from "../../harness/agent/spent.ts";
import { callsIn, textOf, type Message, type ModelReply, type ToolMessage } from "../../harness/contract/messages.ts";
import type { EventSink, ModelIdentity, ModelRequest } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { LimitName, Outcome, RunResult, Spent } from "../../harness/contract/run-result.ts";
import type { JsonObject } from "../../harness/json.ts";
import { findLane, sayingOf, type Lane } from "./find-lane.ts";

/** A request of an agent, read. */
export interface SeenRequest {
  readonly request: ModelRequest;
  /** What is recorded of it beside: `observed` of `model.request`, plain JSON. Its `lane` is what the client says of where it belongs, `sinceMs` the time since the run's last reply. */
  readonly observed: JsonObject;
}
/** Where a request stands in the run. */
export interface SeenPlace {
  readonly ref: string;
  readonly lane: string;
  /** From 0, in its lane. */
  readonly ordinal: number;
  /** 0 for the first try. */
  readonly attempt: number;
}
export interface SeenReply extends ModelReply {
  readonly activeMs: number;
  readonly observed: JsonObject;
}

/**
 * A run of another agent as its requests and replies show it, recorded in Forge's own events: a function of what these say, so that a recording can be made
 * again from itself. Calls are read out of replies, results out of the next request, subagents and side calls out of how a conversation begins.
 */
export interface ObservedRun {
  /** An equal body in the same lane after a try that failed is the next try. */
  request(seen: SeenRequest): SeenPlace;
  /** A try that failed; `d` as in `model.attempt`, without its number. */
  failed(place: SeenPlace, d: JsonObject & { readonly activeMs: number }): void;
  replied(place: SeenPlace, reply: SeenReply): void;
  limit(hit: { readonly limit: LimitName; readonly used: number; readonly allowed: number }): void;
  /** Ends the run. `cancel`: it was ended from outside. */
  end(outcome: Outcome, cancel?: JsonObject): RunResult;
  readonly spent: Spent;
  flush(): Promise<void>;
}

export interface ObservedStart {
  readonly config: ResolvedConfig;
  readonly task: string;
  readonly seed?: number;
  readonly model: ModelIdentity;
  readonly meta: JsonObject;
}

interface Waiting {
  readonly ref: string;
  readonly ordinal: number;
  readonly sha256: unknown;
  failures: number;
  done: boolean;
}

export function observeRun(
  start: ObservedStart,
  o: { readonly sink: EventSink; readonly redact?: ((text: string) => string) | undefined },
): ObservedRun {
  const emitter = createEmitter(o.sink, o.redact);
  const requests = createRequestRecorder(emitter);
  const account = createAccount();
  const lanes: Lane[] = [];
  const waiting = new Map<Lane, Waiting>();
  const at = new Map<string, Lane>();
  const { config, task, seed, model, meta } = start;
  const begun = emitter.emit("run.start", "main", { config, input: { task }, seed, model, meta });

  const open = (name: string, key: string | undefined, first: string): Lane => {
    const lane: Lane = {
      name,
      key,
      messages: [],
      system: "",
      tools: "",
      withTools: false,
      turns: 0,
      answer: "",
      known: new Map(),
      open: new Map(),
    };
    lanes.push(lane);
    const message: Message = { role: "user", content: [{ type: "text", text: first }] };
    if (name === "main") requests.cameFrom(message, begun);
    else {
      emitter.emit("agent.spawn", "main", { lane: name, input: { task: first } });
      requests.cameFrom(
        message,
        emitter.emit("run.start", name, { config: { hash: config.hash }, input: { task: first }, model, meta: {} }),
      );
    }
    lane.known.set(sayingOf(message), message);
    return lane;
  };

  const laneOf = ({ request, observed }: SeenRequest): Lane => {
    const key = typeof observed["lane"] === "string" ? observed["lane"] : undefined;
    if (lanes.length === 0) return open("main", key, task);
    const found = findLane(lanes, request, key);
    if (!found) {
      const [first] = request.messages;
      return open(`main/sub${lanes.length - 1}`, key, first ? textOf(first.content) : "");
    }
    if (found.compacted) emitter.emit("context.compact", found.lane.name, { turn: found.lane.turns });
    return found.lane;
  };

  /** A result stands in the first request that holds it; calls of one reply share the time until then. */
  const hearResults = (lane: Lane, messages: readonly Message[], sinceMs: number): void => {
    const results = messages.filter((message): message is ToolMessage => message.role === "tool" && lane.open.has(message.callId));
    const activeMs = results.length === 0 ? 0 : Math.round(sinceMs / results.length);
    for (const message of results) {
      const call = lane.open.get(message.callId);
      if (!call) continue;
      lane.open.delete(message.callId);
      const { callId, name, status, content } = message;
      const d = { callId, name, reply: { status, content, effects: { edited: [] } }, activeMs };
      requests.cameFrom(message, emitter.emit("tool.result", call.lane, d, [call.ref]));
      account.active(activeMs);
    }
  };

  return {
    get spent() {
      return { ...account.spent };
    },
    flush: () => emitter.flush(),
    request(seen) {
      const { request, observed } = seen;
      const lane = laneOf(seen);
      const before = waiting.get(lane);
      if (before && before.failures > 0 && !before.done && before.sha256 === observed["sha256"])
        return { ref: before.ref, lane: lane.name, ordinal: before.ordinal, attempt: before.failures };
      const messages = request.messages.map((message) => {
        const saying = sayingOf(message);
        const known = lane.known.get(saying) ?? message;
        lane.known.set(saying, known);
        return known;
      });
      hearResults(lane, messages, Number(observed["sinceMs"] ?? 0));
      lane.turns++;
      if (lane.name === "main") account.turn();
      const ref = requests.record(lane.name, lane.turns, { ...request, messages }, { observed });
      Object.assign(lane, {
        messages,
        system: componentHash(request.system),
        tools: componentHash(request.tools),
        withTools: request.tools.length > 0,
      });
      waiting.set(lane, { ref, ordinal: lane.turns - 1, sha256: observed["sha256"], failures: 0, done: false });
      at.set(ref, lane);
      return { ref, lane: lane.name, ordinal: lane.turns - 1, attempt: 0 };
    },
    failed(place, d) {
      const now = waitingAt(place);
      if (now) now.failures = place.attempt + 1;
      account.active(d.activeMs);
      emitter.emit("model.attempt", place.lane, { attempt: place.attempt, ...d }, [place.ref]);
    },
    replied(place, reply) {
      const lane = at.get(place.ref);
      const now = waitingAt(place);
      if (now) now.done = true;
      if (!lane) throw new Error(`no request ${place.ref} was seen`);
      const { message, calls, activeMs, usage, stop, cutAt, costUsd, served, sent, observed } = reply;
      const said = { message, calls } as unknown as JsonObject; // plain JSON by its type; interfaces have no index signature
      const redacted = emitter.redacted(said) !== said;
      const named = JSON.stringify(callsIn(message)) === JSON.stringify(calls);
      const d = {
        attempt: place.attempt,
        message,
        ...(named ? {} : { calls }),
        usage,
        stop,
        cutAt,
        costUsd,
        served,
        sent,
        activeMs,
        observed,
        ...(redacted ? { redacted } : {}),
      };
      const ref = emitter.emit("model.response", lane.name, d, [place.ref]);
      requests.cameFrom(message, ref);
      lane.known.set(sayingOf(message), message);
      lane.answer = textOf(message.content);
      account.model(reply, activeMs);
      calls.forEach((call, i) => {
        const turn = place.ordinal + 1;
        const own = `${lane.name}/${turn}.${i + 1}`;
        lane.open.set(call.id, { call, lane: own, ref: emitter.emit("tool.call", own, { turn, index: i + 1, call }, [ref]) });
      });
    },
    limit: (hit) => void emitter.emit("limit.hit", "main", hit),
    end(outcome, cancel) {
      const spent = { ...account.spent };
      for (const lane of lanes.slice(1)) {
        const none = { turns: lane.turns, input: 0, output: 0, cached: 0, costUsd: null, activeMs: 0 };
        emitter.emit("run.end", lane.name, { outcome: { type: "done" }, answer: lane.answer, spent: none });
        emitter.emit("agent.join", "main", { lane: lane.name, outcome: { type: "done" } });
      }
      if (cancel) emitter.emit("cancel", "main", cancel);
      const result: RunResult = { outcome, answer: lanes[0]?.answer ?? "", spent };
      emitter.emit("run.end", "main", result);
      return result;
    },
  };

  function waitingAt({ ref }: SeenPlace): Waiting | undefined {
    const lane = at.get(ref);
    const now = lane && waiting.get(lane);
    return now?.ref === ref ? now : undefined;
  }
}
