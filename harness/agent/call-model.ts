import { watchCall } from "./call-watch.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { callsIn, type ModelCall, type ModelReply } from "../contract/messages.ts";
import type { ModelRequest, TimedReply } from "../contract/ports.ts";
import { ModelError } from "../contract/model-error.ts";
import { withRetry } from "../models/retry/retry.ts";
import type { Json } from "../json.ts";
import type { RunState } from "./run-state.ts";

/**
 * One model call with its retries: the request as it goes out, each try that failed or was cut off and the answer become events of `lane`.
 * The answer is durable before it is acted on. Throws the last `ModelError`, or the abort reason.
 */
export async function callModel(state: RunState, lane: string, call: ModelCall): Promise<ModelReply> {
  const { ports, emitter, requests, signal, seed } = state.shared;
  const ordinal = state.requestCount.get(lane) ?? 0;
  state.requestCount.set(lane, ordinal + 1);
  const request: ModelRequest = deepFreeze({ ...call, ...(seed === undefined ? {} : { seed }) });
  const ref = requests.record(lane, state.account.spent.turns, request);

  const once = async (attempt: number): Promise<ModelReply> => {
    const before = ports.clock.now();
    const watch = watchCall(ports.clock, ports.model.identity);
    try {
      const place = { lane, ordinal, attempt };
      const { onStage } = watch;
      const timed = await ports.model.call(request, { place, signal, onStage, onText: (delta) => emitter.text(lane, delta) });
      return take(timed, attempt);
    } catch (thrown) {
      const error = signal.aborted && thrown === signal.reason ? watch.cut() : thrown;
      if (!(error instanceof ModelError)) throw thrown;
      const activeMs = error.activeMs ?? ports.clock.now() - before;
      state.account.active(activeMs);
      const { kind, status, retryAfterMs, message, cut } = error;
      emitter.emit("model.attempt", lane, { attempt, kind, message, status, retryAfterMs, ...cut, activeMs }, [ref]);
      throw error;
    }
  };

  const take = (timed: TimedReply, attempt: number): ModelReply => {
    const { activeMs, redacted: wasRedacted = false, ...reply } = timed;
    const { message, calls, usage, stop, cutAt, costUsd, served, sent } = reply;
    const said = { message, calls } as unknown as Json; // plain JSON by its type; interfaces have no index signature
    const redacted = wasRedacted || emitter.redacted(said) !== said;
    // Each thing is recorded once: calls that the message names as parts are read from there.
    const named = JSON.stringify(callsIn(message)) === JSON.stringify(calls);
    const d = {
      attempt,
      message,
      ...(named ? {} : { calls }),
      usage,
      stop,
      cutAt,
      costUsd,
      served,
      sent,
      activeMs,
      ...(redacted ? { redacted } : {}),
    };
    const response = emitter.emit("model.response", lane, d, [ref]);
    requests.cameFrom(deepFreeze(message), response);
    deepFreeze(calls);
    state.account.model(reply, activeMs);
    return reply;
  };

  const reply = await withRetry(once, { sleep: (ms, s) => ports.clock.sleep(ms, s), signal, seed: `${lane}#${ordinal}` });
  await emitter.flush();
  return reply;
}
