import type { Part } from "./messages.ts";

/** What a run is asked to do. `lane` and `limits` are for subagents. */
export interface AgentInput {
  readonly task: string;
  readonly images?: readonly Extract<Part, { type: "image" }>[];
}

/** Sums over the run's recorded model calls and tool results, never clock readings. */
export interface Spent {
  /** Model calls of the main conversation. */
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** USD; null as soon as one call has no known price. */
  readonly costUsd: number | null;
  /** Milliseconds inside model and tool calls. */
  readonly activeMs: number;
}

/** `tokens` counts input (cached ones too) and output. A cost limit needs a model with a known price. */
export interface Limits {
  readonly turns?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly activeMs?: number;
}
/** What is left of each limit. */
export type Budget = Limits;

export type LimitName = "turns" | "tokens" | "costUsd" | "activeMs" | "context" | "deadline" | "output";

/** How a run ended. `limit`: the work done is kept and verified. `error.kind` names whose fault it is. */
export type Outcome =
  | { readonly type: "done" }
  | { readonly type: "refused" }
  | { readonly type: "limit"; readonly limit: LimitName }
  | { readonly type: "cancelled"; readonly reason: string }
  | { readonly type: "error"; readonly kind: "agent" | "infra" | "config"; readonly message: string };

export interface RunResult {
  readonly outcome: Outcome;
  /** The text of the model's last message. */
  readonly answer: string;
  readonly spent: Spent;
}

/** Thrown through the signal when a run's time is over: the run ends with limit `deadline`, not as cancelled. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}
