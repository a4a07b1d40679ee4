import type { BenchOptions } from "../bench-request.ts";

/** Why a job ends before its end. */
export type StopReason = "stopped" | "cancelled" | "max-cost" | "decided";

/** The two ways to stop: no further trials, and no further moment. */
export interface Stops {
  /** The first reason; undefined while the job goes on. */
  readonly reason: StopReason | undefined;
  /** Aborted: trials end now. */
  readonly signal: AbortSignal;
  stop(reason: StopReason): void;
  abort(error: unknown): void;
  /** Called once, when the job stops; at once if it has. */
  onStop(hear: () => void): void;
  dispose(): void;
}

/** Joins the caller's two signals with the job's own reasons. After `stop` running trials have `graceMs` (default 30,000). */
export function createStops({ stop: asked, signal: hard, graceMs = 30_000 }: BenchOptions): Stops {
  const now = new AbortController();
  let reason: StopReason | undefined;
  let grace: NodeJS.Timeout | undefined;
  let hear: (() => void) | undefined;
  const begin = (why: StopReason): void => {
    if (reason) return;
    reason = why;
    hear?.();
  };
  const onAsked = (): void => {
    begin("stopped");
    grace ??= setTimeout(() => now.abort(new Error("The bench was stopped and the trial did not end in time.")), graceMs);
  };
  const onHard = (): void => {
    begin("cancelled");
    if (reason === "stopped") reason = "cancelled";
    now.abort(new Error("The bench was cancelled."));
  };
  if (asked?.aborted) onAsked();
  if (hard?.aborted) onHard();
  asked?.addEventListener("abort", onAsked);
  hard?.addEventListener("abort", onHard);
  return {
    get reason() {
      return reason;
    },
    signal: now.signal,
    stop: begin,
    abort(error) {
      begin("cancelled");
      now.abort(error);
    },
    onStop(listener) {
      hear = listener;
      if (reason) listener();
    },
    dispose() {
      clearTimeout(grace);
      asked?.removeEventListener("abort", onAsked);
      hard?.removeEventListener("abort", onHard);
    },
  };
}
