import type { RunEvent } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { isRetryable } from "../../../harness/contract/model-error.ts";
import { retryPolicy } from "../../../harness/models/retry/retry.ts";

/** What kept a run waiting for its model's server until a limit of time ended it. */
export interface LostCall {
  /** What the server had failed with; `held` where nothing was sent to it, `silent` where nothing came. */
  readonly failure: string;
  readonly message: string;
  /** Of tries that had failed. */
  readonly tries: number;
  readonly status?: number;
  readonly silentMs?: number;
}

/** Tells, of a run that a limit of time ended, whether its model's server had used the time up. */
export interface LostCalls {
  add(event: RunEvent): void;
  /** Undefined where the time was the agent's. */
  atLimit(limit: string): LostCall | undefined;
}

interface Failure {
  readonly kind: string;
  readonly message: string;
  readonly status?: number;
}
interface OpenCall {
  tries: number;
  failure?: Failure;
  cut?: { readonly message: string; readonly stage: string; readonly silentMs: number; readonly activeMs: number };
}

/**
 * At the end of its time a run waited for its server where all that was under way were model calls, and each of them had failed since it was last answered
 * anything, was held back, or had been silent for longer than all answers of the run took together: the model's own pace says what is slow. An answer that is
 * still coming is the agent's time, and so is that of its commands. A limit of active time was the server's where it would not have been reached without the
 * tries that failed.
 */
export function createLostCalls(): LostCalls {
  const open = new Map<string, OpenCall>();
  /** Lanes of tool calls that are under way, by their reference. */
  const tools = new Map<string, string>();
  /** Subagents under way, by the lane that began them. */
  const spawned = new Map<string, number>();
  let answeredMs = 0;
  let failedMs = 0;
  let lastFailure: (Failure & { readonly tries: number }) | undefined;
  let overActive: { readonly used: number; readonly allowed: number } | undefined;
  let ended = false;

  const begin = (): void => {
    for (const one of [open, tools, spawned]) one.clear();
    [answeredMs, failedMs, ended] = [0, 0, false];
    [lastFailure, overActive] = [undefined, undefined];
  };
  const tried = (ref: string, d: JsonObject): void => {
    const call = open.get(ref);
    const { kind, message, status, stage, silentMs, activeMs } = d;
    if (kind === "cut") {
      if (call) call.cut = { message: String(message), stage: String(stage), silentMs: Number(silentMs), activeMs: Number(activeMs) };
      return;
    }
    failedMs += Number(activeMs) || 0;
    const failure = { kind: String(kind), message: String(message), ...(typeof status === "number" ? { status } : {}) };
    lastFailure = { ...failure, tries: (lastFailure?.tries ?? 0) + 1 };
    if (!call) return;
    call.tries += 1;
    call.failure = failure;
    if (!isRetryable(failure.kind) || Number(d["attempt"]) + 1 >= retryPolicy.attempts) open.delete(ref);
  };
  const lost = ({ tries, failure, cut }: OpenCall): LostCall | undefined => {
    const silent = cut && cut.silentMs > answeredMs + (cut.stage === "answering" ? cut.activeMs - cut.silentMs : 0);
    if (cut?.stage === "answering" && !silent) return undefined;
    const how = cut ? { silentMs: cut.silentMs } : {};
    if (failure) {
      const { kind, ...said } = failure;
      return { failure: kind, tries, ...said, ...how };
    }
    if (cut?.stage === "held") return { failure: "held", tries, message: cut.message, ...how };
    return silent ? { failure: "silent", tries, message: cut.message, ...how } : undefined;
  };

  return {
    add({ t, lane, n, cause, d }) {
      const from = cause[0] ?? "";
      if (t === "run.start" && lane === "main") begin();
      else if (t === "model.attempt") tried(from, d);
      else if (t === "limit.hit" && lane === "main" && d["limit"] === "activeMs")
        overActive = { used: Number(d["used"]), allowed: Number(d["allowed"]) };
      else if (t === "cancel") ended = true;
      if (ended) return; // what goes on is only told that it is over
      if (t === "model.request") open.set(`${lane}#${n}`, { tries: 0 });
      else if (t === "model.response") {
        open.delete(from);
        answeredMs += Number(d["activeMs"]) || 0;
      } else if (t === "tool.call") tools.set(`${lane}#${n}`, lane);
      else if (t === "tool.result") tools.delete(from);
      else if (t === "agent.spawn") spawned.set(lane, (spawned.get(lane) ?? 0) + 1);
      else if (t === "agent.join") spawned.set(lane, (spawned.get(lane) ?? 1) - 1);
    },
    atLimit(limit) {
      if (limit === "activeMs") {
        if (!overActive || !lastFailure || overActive.used - failedMs >= overActive.allowed) return undefined;
        const { kind, ...said } = lastFailure;
        return { failure: kind, ...said };
      }
      if (limit !== "deadline" || [...tools.values()].some((lane) => (spawned.get(lane) ?? 0) === 0)) return undefined;
      const calls = [...open.values()].map(lost);
      return calls.every((one) => one !== undefined) ? calls[0] : undefined;
    },
  };
}
