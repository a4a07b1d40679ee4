import type { Clock, Model } from "../../contract/ports.ts";
import { ModelError } from "../../contract/model-error.ts";
import type { RateLimitGate, RequestEnd } from "./rate-limit-gate.ts";

/**
 * A model whose requests wait at their account's gate. The wait is no working time: an answer and a failure count from when the request went out. One that
 * is aborted there tells what it waited for.
 */
export function gatedModel(model: Model, gate: RateLimitGate, clock: Clock): Model {
  return {
    identity: model.identity,
    async call(request, o) {
      const leave = await gate.enter(o.signal).catch((error: unknown) => {
        o.onStage?.(gate.pausedUntil > 0 ? "held" : "queued");
        throw error;
      });
      const before = clock.now();
      let end: RequestEnd = { type: "failed" };
      try {
        const reply = await model.call(request, o);
        end = { type: "ok" };
        return reply;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        const { kind, message, status, retryAfterMs, activeMs = clock.now() - before } = error;
        if (kind === "rate_limit" || kind === "overloaded") end = { type: "limited", retryAfterMs };
        throw new ModelError(kind, message, { status, retryAfterMs, activeMs });
      } finally {
        leave(end);
      }
    },
  };
}
