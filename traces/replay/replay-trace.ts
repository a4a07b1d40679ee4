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
}

/**
 * L1: runs the harness again on the recorded inputs, without model, network or sandbox. Every event it makes is compared with the recording
 * by its lane's chained digest; the first that differs ends the replay and is described.
 */
export async function replayTrace(trace: LoadedTrace, o: ReplayOptions): Promise<ReplayVerdict> {
  const isEvidence = (event: RunEvent): boolean => Object.hasOwn(evidenceSchemas, event.t);
  const start = trace.events[0]?.d ?? {};
  const config = start["config"] as unknown as ResolvedConfig; // recorded from one
  const middleware = await o.assemble(config);
  const recording = openRecording(trace.events, start["model"] as unknown as ModelIdentity);
  const sink = compareWith(trace, recording.reached);
  const redacted = trace.events.some((event) => event.t === "model.response" && event.d["redacted"] === true);
  const compared = trace.events.filter((event) => !isEvidence(event)).length;
  const cutOff = !trace.events.some((event) => event.t === "run.end" && event.lane === "main");
  const verdict = (divergence?: Divergence): ReplayVerdict => ({
    exact: divergence === undefined && sink.equal() === compared,
    equal: sink.equal(),
    events: compared,
    redacted,
    cutOff,
    ...(divergence ? { divergence } : {}),
  });
  try {
    await runAgent(config, { ...recording.ports, sink: sink.sink }, start["input"] as unknown as AgentInput, {
      middleware,
      signal: recording.signal,
      ...(typeof start["seed"] === "number" ? { seed: start["seed"] } : {}),
      meta: start["meta"] as JsonObject,
    });
  } catch (error) {
    const divergence = sink.divergence() ?? (error instanceof DivergenceError ? error.divergence : undefined);
    if (!divergence) throw error;
    if (cutOff && divergence.ended) return verdict();
    return verdict(divergence);
  }
  const [unused] = recording.unused();
  if (unused === undefined) return verdict();
  const what = `The replay ended without asking for the recorded ${unused}.`;
  return verdict({ class: "control flow", at: unused, seq: undefined, what, diff: "" });
}

/** A sink that compares each event with the recording. After the first divergence it throws the same again at every event. */
function compareWith(trace: LoadedTrace, reached: (event: RunEvent) => void) {
  const expected = new Map(trace.lines.map((line, i) => [`${line.lane}#${line.n}`, i]));
  const digests = new Map<string, string>();
  const made: RunEvent[] = [];
  let failure: DivergenceError | undefined;

  const emit = (event: RunEvent): void => {
    if (failure) throw failure;
    const s = laneDigest(
      digests.get(event.lane) ?? firstHash,
      event,
      encodeData(event.d, () => undefined),
    );
    digests.set(event.lane, s);
    const at = expected.get(`${event.lane}#${event.n}`) ?? -1;
    made.push(event);
    if (trace.lines[at]?.s !== s) {
      failure = new DivergenceError(describe(trace, at, made));
      throw failure;
    }
    reached(event);
  };
  const sink: EventSink = { emit, flush: async () => undefined };
  return { sink, divergence: () => failure?.divergence, equal: () => made.length - (failure ? 1 : 0) };
}

/** Only now are both sides put together: an exact replay never pays for it. `at` is the recorded event's index, −1 where there is none. */
function describe(trace: LoadedTrace, at: number, made: readonly RunEvent[]): Divergence {
  const recorded = trace.events[at];
  const last = made.at(-1);
  const replayed = last && readBack(last);
  const sides = { recorded, replayed, seq: trace.lines[at]?.seq };
  if (recorded?.t !== "model.request" || replayed?.t !== "model.request") return describeDivergence(sides);
  const before = rebuild(trace.events.slice(0, at + 1));
  const now = rebuild(made.map(readBack));
  const middleware = made.findLast((event) => event.t === "middleware")?.d["name"];
  const divergence = describeDivergence({ ...sides, ...(before && now ? { requests: { recorded: before, replayed: now } } : {}) });
  return typeof middleware === "string" ? { ...divergence, middleware } : divergence;
}

/** The last request of a sequence of events. */
function rebuild(events: readonly RunEvent[]): RebuiltRequest | undefined {
  const rebuilder = createRequestRebuilder();
  let request: RebuiltRequest | undefined;
  for (const event of events) request = rebuilder.add(event) ?? request;
  return request;
}

const readBack = (event: RunEvent): RunEvent => ({ ...event, d: JSON.parse(JSON.stringify(event.d)) as JsonObject }); // as a reader would get it
