import { InfraError, messageOf } from "../errors.ts";
import { ModelError } from "../contract/model-error.ts";
import { DeadlineError, type Outcome } from "../contract/run-result.ts";

/** A middleware's own mistake: the harness is wrong, not the agent and not the machine. */
export class MiddlewareError extends Error {
  override readonly name = "MiddlewareError";
}

/** Ends the loop with an outcome that is no error. */
export class Stop extends Error {
  override readonly name = "Stop";
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super(outcome.type);
    this.outcome = outcome;
  }
}

/** True for what a middleware must let through: the run is over, whatever it thinks. */
export function isRunEnd(error: unknown, signal: AbortSignal): boolean {
  return (
    error instanceof Stop ||
    error instanceof InfraError ||
    error instanceof ModelError ||
    error instanceof MiddlewareError ||
    error instanceof DeadlineError ||
    (signal.aborted && error === signal.reason)
  );
}

/** What a thrown value means for the run, and whether it came from outside and so must be recorded to happen again on replay. */
export function outcomeOf(error: unknown, signal: AbortSignal): { outcome: Outcome; external: boolean } {
  if (error instanceof Stop) return { outcome: error.outcome, external: false };
  if (error instanceof ModelError) return { outcome: modelOutcome(error), external: false };
  if (error instanceof MiddlewareError) return { outcome: { type: "error", kind: "config", message: error.message }, external: false };
  if (error instanceof DeadlineError) return { outcome: { type: "limit", limit: "deadline" }, external: true };
  if (signal.aborted && error === signal.reason) {
    if (error instanceof InfraError) return { outcome: { type: "error", kind: "infra", message: error.message }, external: true };
    return { outcome: { type: "cancelled", reason: messageOf(error) }, external: true };
  }
  return { outcome: { type: "error", kind: "infra", message: messageOf(error) }, external: true };
}

/** What the event of an end from outside says, to happen again on replay. */
export function cancelOf(outcome: Outcome): { reason: string; error?: string } {
  if (outcome.type === "limit") return { reason: DeadlineError.name };
  if (outcome.type === "error") return { reason: outcome.message, error: outcome.kind };
  return { reason: outcome.type === "cancelled" ? outcome.reason : outcome.type };
}

function modelOutcome(error: ModelError): Outcome {
  if (error.kind === "context") return { type: "limit", limit: "context" };
  const config = error.kind === "auth" || error.kind === "not_found" || error.kind === "parameter" || error.kind === "quota";
  return { type: "error", kind: config ? "config" : "infra", message: error.message };
}
