import { runAgent } from "../../harness/agent/run-agent.ts";
import type { AgentInput } from "../../harness/contract/run-result.ts";
import type { AnyMiddleware } from "../../harness/contract/middleware.ts";
import type { ModelIdentity } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { evidenceSchemas, type RunEvent } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";
import { knownOptions } from "../../harness/known-options.ts";
import type { LoadedTrace } from "../read/load-trace.ts";
import { compareEvents } from "./compare/compare-events.ts";
import type { Divergence } from "./compare/divergence.ts";
import { createRecordedEnd } from "./recording/recorded-end.ts";
import { timed, type Patience } from "./timed-middleware.ts";
import { openRecording } from "./recording/open-recording.ts";

/** The result of L1. */
export interface ReplayVerdict {
  readonly exact: boolean;
  /** Events that came out again as recorded, and how many there are to compare. */
  readonly equal: number;
  readonly events: number;
  readonly divergence?: Divergence;
  /** The run acted on model output from which secrets were taken out of the record: the model's real output is not known here. */
  readonly redacted: boolean;
  /** The recording ends without `run.end`: its process was ended. What is there was compared. */
  readonly cutOff: boolean;
}

export interface ReplayOptions {
  /** Makes the configuration's middlewares, the recorded ones where `config` is left out. Throws `CannotError` for one that is not to be had in the recorded version. */
  assemble(config: ResolvedConfig): Promise<readonly AnyMiddleware[]>;
  /** In place of the recorded configuration: a counterfactual. The first divergence is where it would act differently. */
  readonly config?: ResolvedConfig;
  /** With `config`. */
  readonly patience?: Patience;
  /** Called with each event that came out again as recorded, in the order of the replay. */
  onEvent?(event: RunEvent): void;
}

/**
 * L1: runs the harness again on the recorded inputs, without model, network or sandbox. Every event it makes is compared with the recording
 * by its lane's chained digest; the first that differs ends the replay and is described.
 */
export async function replayTrace(trace: LoadedTrace, o: ReplayOptions): Promise<ReplayVerdict> {
  knownOptions("replayTrace", o, { assemble: true, config: true, patience: true, onEvent: true });
  const start = trace.events[0]?.d ?? {};
  const config = o.config ?? (start["config"] as unknown as ResolvedConfig); // recorded from one
  const made = await o.assemble(config);
  // what was recorded has come back once; of another one that is not known
  const middleware = o.config ? made.map((one) => timed(one, o.patience)) : made;
  const compared = trace.events.map((event) => !Object.hasOwn(evidenceSchemas, event.t));
  const cutOff = !trace.events.some((event) => event.t === "run.end" && event.lane === "main");
  const end = createRecordedEnd(trace.events, { compared, cutOff });
  let first: Divergence | undefined;
  const diverged = (divergence: Divergence): void => void (first ??= divergence);
  const recording = openRecording(trace.events, { identity: start["model"] as unknown as ModelIdentity, end, diverged });
  const comparison = compareEvents(trace, {
    compared,
    other: o.config !== undefined,
    cutOff,
    diverged,
    made: (index, event) => (end.made(index), o.onEvent?.(event)),
  });
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
  const found = different ? (end.suspect() ?? different) : cutOff ? undefined : notAsked(recording.unused());
  const divergence = found && { ...found, turn: comparison.turn() };
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
