import type { EventSink } from "../../../harness/contract/ports.ts";
import { evidenceSchemas, type RunEvent } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../../read/rebuild-requests.ts";
import { encodeData } from "../../format/encode.ts";
import { firstHash, laneDigest } from "../../format/line.ts";
import { describeDivergence, DivergenceError, type Divergence } from "./divergence.ts";
import { middlewareOf, outerLanes } from "../../read/lanes.ts";
import { nearestRequest } from "./nearest-request.ts";
import { createTurnCounter } from "../../read/turn-counter.ts";

/** A replay's events against the recorded ones. */
export interface Comparison {
  readonly sink: EventSink;
  /** The turn of the main lane in which the replay stands; 0 before its first request. */
  turn(): number;
  /** How many recorded events came out again. */
  equal(): number;
  /** The first recorded event that did not come out again, when the replay ended without a difference. */
  notMade(): Divergence | undefined;
}

/** A sink that compares each event with the recording. After the first divergence it throws the same again at every event. */
export function compareEvents(
  trace: LoadedTrace,
  o: {
    compared: readonly boolean[];
    /** The replay has another configuration than the recording: that alone is no difference. */
    other: boolean;
    cutOff: boolean;
    diverged: (divergence: Divergence) => void;
    made: (index: number, event: RunEvent) => void;
  },
): Comparison {
  const expected = new Map(trace.lines.map((line, i) => [`${line.lane}#${line.n}`, i]));
  const left = new Map<string, number>();
  trace.lines.forEach(({ lane }, i) => void (o.compared[i] && left.set(lane, (left.get(lane) ?? 0) + 1)));
  const digests = new Map<string, string>();
  const made: RunEvent[] = [];
  const done = new Set<number>();
  let failure: DivergenceError | undefined;
  const turns = createTurnCounter();

  /** Where a recording was cut off, what would have come next is no difference, unless something around it is still to come. */
  const beyond = (lane: string): boolean => o.cutOff && outerLanes(lane).every((outer) => (left.get(outer) ?? 0) === 0);

  const emit = (given: RunEvent): void => {
    if (failure) throw failure;
    if (Object.hasOwn(evidenceSchemas, given.t)) return; // served from the recording itself
    const at = expected.get(`${given.lane}#${given.n}`) ?? -1;
    const event = o.other ? withConfigOf(trace.events[at], given) : given;
    turns.see(event);
    if (at < 0 && beyond(event.lane)) return;
    const s = laneDigest(
      digests.get(event.lane) ?? firstHash,
      event,
      encodeData(event.d, () => undefined),
    );
    digests.set(event.lane, s);
    made.push(event);
    if (trace.lines[at]?.s !== s) {
      failure = new DivergenceError(describe(trace, at, made));
      o.diverged(failure.divergence);
      throw failure;
    }
    done.add(at);
    left.set(event.lane, (left.get(event.lane) ?? 0) - 1);
    o.made(at, event);
  };
  return {
    sink: { emit, flush: async () => undefined },
    turn: () => turns.turn(),
    equal: () => done.size,
    notMade() {
      const at = trace.events.findIndex((_, i) => o.compared[i] && !done.has(i));
      if (at < 0) return undefined;
      const divergence = describeDivergence({ recorded: trace.events[at], replayed: undefined, seq: trace.lines[at]?.seq });
      return named(divergence, trace, at, made);
    },
  };
}

/** Only now are both sides put together: an exact replay never pays for it. `at` is the recorded event's index, −1 where there is none. */
function describe(trace: LoadedTrace, at: number, made: readonly RunEvent[]): Divergence {
  const recorded = trace.events[at];
  const last = made.at(-1);
  const replayed = last && readBack(last);
  const sides = { recorded, replayed, seq: trace.lines[at]?.seq };
  if (recorded?.t !== "model.request" || replayed?.t !== "model.request") return named(describeDivergence(sides), trace, at, made);
  const before = rebuild(trace.events.slice(0, at + 1));
  const now = rebuild(made.map(readBack));
  const divergence = describeDivergence({ ...sides, ...(before && now ? { requests: { recorded: before, replayed: now } } : {}) });
  const nearest = now && nearestRequest(trace, now);
  return named({ ...divergence, ...(nearest ? { nearest } : {}) }, trace, at, made);
}

/** Names the middleware that a divergence comes from, where one is to be found. */
function named(divergence: Divergence, trace: LoadedTrace, at: number, made: readonly RunEvent[]): Divergence {
  const again = new Set(made.map((event) => `${event.lane}#${event.n}`));
  const before = at < 0 ? trace.events : trace.events.slice(0, at);
  const dropped = before.find((event) => event.t === "middleware" && !again.has(`${event.lane}#${event.n}`));
  const lane = middlewareOf(divergence.at.replace(/#\d+$/, ""));
  const name = lane ?? (dropped ?? made.findLast((event) => event.t === "middleware"))?.d["name"];
  return typeof name === "string" ? { ...divergence, middleware: name } : divergence;
}

/** The last request of a sequence of events. */
function rebuild(events: readonly RunEvent[]): RebuiltRequest | undefined {
  const rebuilder = createRequestRebuilder();
  let request: RebuiltRequest | undefined;
  for (const event of events) request = rebuilder.add(event) ?? request;
  return request;
}

const readBack = (event: RunEvent): RunEvent => ({ ...event, d: JSON.parse(JSON.stringify(event.d)) as JsonObject }); // as a reader would get it

/** A run's first event holds its configuration. */
function withConfigOf(recorded: RunEvent | undefined, event: RunEvent): RunEvent {
  if (event.t !== "run.start" || recorded?.t !== "run.start" || recorded.d["config"] === undefined) return event;
  return { ...event, d: { ...event.d, config: recorded.d["config"] } };
}
