import { DeadlineError, type LimitName, type Outcome } from "../../harness/contract/run-result.ts";
import { isRetryable } from "../../harness/contract/model-error.ts";
import { InfraError, messageOf } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import { plural } from "../../harness/text/figures.ts";
import type { Crash } from "../bench-ports.ts";

/** What was seen of an agent's process when it had ended, or was ended. */
export interface AgentEnd {
  /** What the agent is called in a sentence. */
  readonly name: string;
  readonly process?: { readonly status: "exited" | "timeout" | "killed"; readonly exitCode: number | null; readonly said: string };
  /** Thrown by the sandbox in its place, or why it was ended. */
  readonly thrown?: unknown;
  readonly signal: AbortSignal;
  readonly limit: LimitName | undefined;
  /** Requests that had a place in the run, and tool calls among their replies. */
  readonly requests: number;
  readonly calls: number;
  /** Why the gateway refused the first request that it refused. */
  readonly refused: string | undefined;
  /** The model's last failure in the main conversation that no reply followed. */
  readonly failure: { readonly kind: string; readonly message: string } | undefined;
  /** An error that the agent's output shows. */
  readonly error: string | undefined;
}

/** How a run ended, by what was seen from outside. `cancel`: it was ended from outside, which is recorded. `crash`: it failed before any tool call. */
export function outcomeOfAgent(end: AgentEnd): { readonly outcome: Outcome; readonly cancel?: JsonObject; readonly crash?: Crash } {
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
  if (exitCode === 0 && end.error === undefined) return { outcome: { type: "done" } };
  const crash = end.calls === 0 ? { crash: { exitCode, requests } } : {};
  return { outcome: { type: "error", kind: "agent", message: sentenceOf(end, exitCode, said) }, ...crash };
}

const mostWords = 300;

/** `my-agent ended with exit code 127 before its first request: python3: not found.` */
function sentenceOf({ name, error, requests, calls, refused }: AgentEnd, exitCode: number | null, said: string): string {
  const how = exitCode === 0 ? "reported an error" : `ended with exit code ${exitCode ?? "none"}`;
  const when =
    requests > 0
      ? `after ${plural(requests, "request")}${calls === 0 ? " and no tool call" : ""}`
      : refused === undefined
        ? "before its first request"
        : `before any request reached its model (the gateway refused one: ${refused.replace(/\.$/, "")})`;
  const words = (error ?? lastLine(said)).slice(0, mostWords).replace(/\.$/, "");
  return `${name} ${how} ${when}${words === "" ? "" : `: ${words}`}.`;
}

/** Without the shell's own name and line: `sh: 1: python3: not found`. */
const lastLine = (said: string): string =>
  (said.trim().split("\n").at(-1) ?? "").trim().replace(/^(?:\S*\/)?(?:ba|da|a)?sh: (?:line )?\d+: /, "");
