import type { ModelIdentity } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { Outcome } from "../../harness/contract/run-result.ts";
import { evidenceSchemas, type RunEvent } from "../../harness/events/schema.ts";
import { isObject, type JsonObject } from "../../harness/json.ts";
import type { LoadedTrace } from "../read/load-trace.ts";
import { createRequestRebuilder } from "../read/rebuild-requests.ts";
import { compareEvents } from "../replay/compare/compare-events.ts";
import { DivergenceError, type Divergence } from "../replay/compare/divergence.ts";
import type { ReplayVerdict } from "../replay/replay-trace.ts";
import { observeRun, type SeenPlace, type SeenReply } from "./observe-run.ts";

/**
 * Makes the events of an observed run again from its own requests and replies, without starting anything, and compares each with the recording: lanes, turns,
 * calls, results, sums and the end must come out the same.
 */
export async function replayObserved(trace: LoadedTrace): Promise<ReplayVerdict> {
  const compared = trace.events.map((event) => !Object.hasOwn(evidenceSchemas, event.t));
  const cutOff = !trace.events.some((event) => event.t === "run.end" && event.lane === "main");
  let first: Divergence | undefined;
  const comparison = compareEvents(trace, {
    compared,
    other: false,
    cutOff,
    diverged: (divergence) => void (first ??= divergence),
    made: () => undefined,
  });
  try {
    makeAgain(trace.events, comparison.sink);
  } catch (error) {
    if (!(error instanceof DivergenceError)) throw error;
  }
  const total = compared.filter(Boolean).length;
  const equal = comparison.equal();
  const divergence = first ?? (equal === total ? undefined : comparison.notMade());
  return {
    exact: divergence === undefined,
    equal,
    events: total,
    redacted: trace.events.some((event) => event.t === "model.response" && event.d["redacted"] === true),
    cutOff,
    ...(divergence ? { divergence: { ...divergence, turn: comparison.turn() } } : {}),
  };
}

/** Feeds what came from outside to a fresh observer, in the recorded order. */
function makeAgain(events: readonly RunEvent[], sink: Parameters<typeof observeRun>[1]["sink"]): void {
  const [{ d: begin } = { d: {} as JsonObject }] = events;
  const run = observeRun(
    {
      config: begin["config"] as unknown as ResolvedConfig, // what `run.start` records of one
      task: isObject(begin["input"]) ? String(begin["input"]["task"]) : "",
      ...(typeof begin["seed"] === "number" ? { seed: begin["seed"] } : {}),
      model: begin["model"] as unknown as ModelIdentity, // as above
      meta: begin["meta"] as JsonObject,
    },
    { sink },
  );
  const rebuilder = createRequestRebuilder();
  const places = new Map<string, SeenPlace>();
  let cancel: JsonObject | undefined;
  for (const event of events) {
    const { t, lane, n, cause, d } = event;
    const request = rebuilder.add(event);
    const place = places.get(cause[0] ?? "");
    const attempt = typeof d["attempt"] === "number" ? d["attempt"] : 0;
    if (t === "model.request" && request) {
      const { seed, observed } = d;
      const { params, system, tools, messages } = request;
      const asked = { params: params as never, system, tools, messages, ...(typeof seed === "number" ? { seed } : {}) }; // as it was recorded
      places.set(`${lane}#${n}`, run.request({ request: asked, observed: isObject(observed) ? observed : {} }));
    } else if (t === "model.attempt" && place) {
      const { attempt: _, ...failure } = d;
      run.failed({ ...place, attempt }, failure as JsonObject & { activeMs: number }); // checked against its schema
    } else if (t === "model.response" && place) run.replied({ ...place, attempt }, replyOf(d));
    else if (t === "limit.hit")
      run.limit(d as never); // as above
    else if (t === "cancel") cancel = d;
    else if (t === "run.end" && lane === "main") run.end(d["outcome"] as unknown as Outcome, cancel); // as above
  }
}

/** What a `model.response` records of a reply. */
export function replyOf(d: JsonObject): SeenReply {
  const { attempt: _, redacted: _redacted, ...reply } = d;
  const { message, calls } = reply as unknown as SeenReply; // checked against its schema
  const named = message.content.flatMap((part) => (part.type === "call" ? [{ id: part.id, name: part.name, args: part.args }] : []));
  return { ...(reply as unknown as SeenReply), calls: calls ?? named };
}
