import { DeadlineError, type LimitName, type Outcome } from "../../harness/contract/run-result.ts";
import { isRetryable } from "../../harness/contract/model-error.ts";
import { InfraError, messageOf } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";

/** What was seen of an agent's process when it had ended, or was ended. */
export interface AgentEnd {
  readonly process?: { readonly status: "exited" | "timeout" | "killed"; readonly exitCode: number | null; readonly said: string };
  /** Thrown by the sandbox in its place, or why it was ended. */
  readonly thrown?: unknown;
  readonly signal: AbortSignal;
  readonly limit: LimitName | undefined;
  readonly requests: number;
  /** The model's last failure in the main conversation that no reply followed. */
  readonly failure: { readonly kind: string; readonly message: string } | undefined;
  /** An error that the agent's output shows. */
  readonly error: string | undefined;
}

/** How a run ended, by what was seen from outside. `cancel`: it was ended from outside, which is recorded. */
export function outcomeOfAgent(end: AgentEnd): { readonly outcome: Outcome; readonly cancel?: JsonObject } {
  const { process: ended, thrown, signal, limit, failure, requests } = end;
  const place = "agent";
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    if (reason instanceof DeadlineError)
      return { outcome: { type: "limit", limit: "deadline" }, cancel: { place, reason: DeadlineError.name } };
    const message = messageOf(reason);
    if (reason instanceof InfraError)
      return { outcome: { type: "error", kind: "infra", message }, cancel: { place, reason: message, error: "infra" } };
    return { outcome: { type: "cancelled", reason: message }, cancel: { place, reason: message } };
  }
  if (limit !== undefined) return { outcome: { type: "limit", limit } };
  if (!ended || ended.status === "killed") {
    const message = thrown === undefined ? "The sandbox lost the agent's process." : messageOf(thrown);
    return { outcome: { type: "error", kind: "infra", message }, cancel: { place, reason: message, error: "infra" } };
  }
  if (failure?.kind === "context") return { outcome: { type: "limit", limit: "context" } };
  if (failure && isRetryable(failure.kind)) return { outcome: { type: "error", kind: "infra", message: failure.message } };
  if (failure && ["auth", "quota", "parameter"].includes(failure.kind))
    return { outcome: { type: "error", kind: "config", message: failure.message } };
  const { exitCode, said } = ended;
  const words = said === "" ? "" : ` Its last words: ${said}`;
  if (requests === 0 && (exitCode === 126 || exitCode === 127))
    return {
      outcome: {
        type: "error",
        kind: "config",
        message: `The agent could not be started: its command ended with exit code ${exitCode} before any request.${words}`,
      },
    };
  if (exitCode !== 0)
    return {
      outcome: { type: "error", kind: "agent", message: `The agent ended with exit code ${exitCode} after ${requests} requests.${words}` },
    };
  if (end.error !== undefined) return { outcome: { type: "error", kind: "agent", message: `The agent reported an error: ${end.error}` } };
  return { outcome: { type: "done" } };
}
