import { runAgent } from "../../harness/agent/run-agent.ts";
import type { AgentInput } from "../../harness/agent/result.ts";
import type { AnyMiddleware } from "../../harness/agent/middleware.ts";
import type { EventSink, ModelIdentity } from "../../harness/agent/ports.ts";
import type { ResolvedConfig } from "../../harness/config/resolved.ts";
import { evidenceSchemas, type RunEvent } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { LoadedTrace } from "../read/load-trace.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../read/rebuild-requests.ts";
import { encodeData } from "../record/encode.ts";
import { firstHash, laneDigest } from "../record/line.ts";
import { describeDivergence, DivergenceError, type Divergence } from "./divergence.ts";
import { middlewareOf, outerLanes } from "./lanes.ts";
import { createRecordedEnd } from "./recorded-end.ts";
import { openRecording } from "./recording.ts";

/** L1's answer. */
export interface ReplayVerdict {
  readonly exact: boolean;
  /** Events that came out again as recorded, and how many there are to compare. */
  readonly equal: number;
  readonly events: number;
  readonly divergence?: Divergence;
  /** The run acted on model output from which secrets were taken out of the record: what the model really said is not known here. */
  readonly redacted: boolean;
  /** The recording ends without `run.end`: its process was ended. What is there was compared. */
  readonly cutOff: boolean;
}

export interface ReplayOptions {
  /** Makes the recorded middlewares. Throws `CannotError` for one that is not to be had in the recorded version. */
  assemble(config: ResolvedConfig): Promise<readonly AnyMiddleware[]>;
  /** Hears of each event that came out again as recorded, in the order of the replay. */
  onEvent?(event: RunEvent): void;
}

/**
 * L1: runs the harness again on the recorded inputs, without model, network or sandbox. Every event it makes is compared with the recording
 * by its lane's chained digest; the first that differs ends the replay and is described.
 */
export async function replayTrace(trace: LoadedTrace, o: ReplayOptions): Promise<ReplayVerdict> {
  const start = trace.events[0]?.d ?? {};
  const config = start["config"] as unknown as ResolvedConfig; // recorded from one
  const middleware = await o.assemble(config);
  const compared = trace.events.map((event) => !Object.hasOwn(evidenceSchemas, event.t));
  const cutOff = !trace.events.some((event) => event.t === "run.end" && event.lane === "main");
  const end = createRecordedEnd(trace.events, { compared, cutOff });
  let first: Divergence | undefined;
  const diverged = (divergence: Divergence): void => void (first ??= divergence);
  const recording = openRecording(trace.events, { identity: start["model"] as unknown as ModelIdentity, end, diverged });
  const comparison = compareWith(trace, { compared, cutOff, diverged, made: (index, event) => (end.made(index), o.onEvent?.(event)) });
  const run = runAgent(config, { ...recording.ports, sink: comparison.sink }, start["input"] as unknown as AgentInput, {
    middleware,
    signal: end.signal,
    ...(typeof start["seed"] === "number" ? { seed: start["seed"] } : {}),
    meta: start["meta"] as JsonObject,
  });
  const failure = await Promise.race([run, end.ended]).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  end.close();
  run.catch(() => undefined); // one that was cut off stays where it waits
  const total = compared.filter(Boolean).length;
  const equal = comparison.equal();
  if (failure && !first && !cutOff) throw failure.error;
  const different = cutOff && equal === total ? undefined : (first ?? comparison.notMade());
  const divergence = different ? (end.suspect() ?? different) : cutOff ? undefined : notAsked(recording.unused());
  return {
    exact: divergence === undefined,
    equal,
    events: total,
    redacted: trace.events.some((event) => event.t === "model.response" && event.d["redacted"] === true),
    cutOff,
    ...(divergence ? { divergence } : {}),
  };
}

function notAsked([unused]: string[]): Divergence | undefined {
  if (unused === undefined) return undefined;
  const what = `The replay ended without asking for the recorded ${unused}.`;
  return { class: "control flow", at: unused, seq: undefined, what, diff: "" };
}

interface Comparison {
  readonly sink: EventSink;
  /** How many recorded events came out again. */
  equal(): number;
  /** The first recorded event that did not come out again, when the replay ended without a difference. */
  notMade(): Divergence | undefined;
}

/** A sink that compares each event with the recording. After the first divergence it throws the same again at every event. */
function compareWith(
  trace: LoadedTrace,
  o: {
    compared: readonly boolean[];
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

  /** Where a recording was cut off, what would have come next is no difference, unless something around it is still to come. */
  const beyond = (lane: string): boolean => o.cutOff && outerLanes(lane).every((outer) => (left.get(outer) ?? 0) === 0);

  const emit = (event: RunEvent): void => {
    if (failure) throw failure;
    const at = expected.get(`${event.lane}#${event.n}`) ?? -1;
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
  return named(divergence, trace, at, made);
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
