import type { Json, JsonObject } from "../json.ts";
import type { EventType, RunEvent } from "../events/schema.ts";
import type { ModelCall, ModelReply, ToolCall, ToolReply, ToolSchema } from "./messages.ts";
import type { CallStage } from "./model-error.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/**
 * Everything a run can reach. The loop and middleware touch the world through these alone, so a run is a function of its configuration
 * and of what these returned; replay puts the recorded results in their place.
 */
export interface Ports {
  readonly model: Model;
  readonly tools: Tools;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly user: User;
  readonly sink: EventSink;
  /** On replay: what the recording returned for a middleware's calls. Left out in a live run. */
  readonly recorded?: RecordedAnswers | undefined;
  /** Takes known secrets and secret-looking text out; idempotent, keeps lengths. Left out: nothing is taken out. */
  readonly redact?: (text: string) => string;
}

/** Throws, or rejects, when nothing was recorded. `later` returns in the order of the recording. */
export interface RecordedAnswers {
  now(question: PortQuestion): Json;
  later(question: PortQuestion): Promise<Json>;
}

export interface PortQuestion {
  readonly lane: string;
  readonly port: string;
  readonly op: string;
  readonly argsDigest: string;
}

/** The place of a call in the run: the key of its recording. `ordinal` counts requests of this lane from 0; `attempt` counts tries from 0. */
export interface ModelPlace {
  readonly lane: string;
  readonly ordinal: number;
  readonly attempt: number;
}

export interface ModelRequest extends ModelCall {
  /** Sent to providers that take a sampling seed: a hash of (task, repeat). */
  readonly seed?: number;
}

/** One try at one model call. No retries inside: `harness/models/retry` does them around the port. Throws `ModelError` or the abort reason. */
export interface Model {
  readonly identity: ModelIdentity;
  call(request: ModelRequest, o: ModelCallOptions): Promise<TimedReply>;
}
export interface ModelCallOptions {
  readonly place: ModelPlace;
  readonly signal: AbortSignal;
  readonly onText?: (delta: string) => void;
  /** Called when the request is sent, for each part of the reply, and, where the call is aborted before it was sent, with what it waited for. */
  readonly onStage?: (stage: CallStage) => void;
}
export type TimedReply = ModelReply & {
  /** Milliseconds this call took; recorded, and served again on replay. */
  readonly activeMs: number;
  /** Set where the reply comes from a recording from which secrets were taken out. */
  readonly redacted?: boolean;
};

/** What makes two models the same measurement: part of a trial's key. */
export interface ModelIdentity {
  readonly provider: string;
  readonly name: string;
  readonly protocol: "native" | "text" | "grammar";
  /** Reported fingerprint or weights digest, where there is one. */
  readonly fingerprint?: string;
  readonly contextTokens?: number;
  readonly extra?: JsonObject;
  /** Nothing measured with it shows anything about real models. */
  readonly simulated?: boolean;
  /** The version of the price table, or null where the model has no price. */
  readonly priceTable: string | null;
}

/** Executes calls. `call` never throws for what the model did wrong: that is a reply. It throws the abort reason, or `InfraError`. */
export interface Tools {
  readonly schemas: readonly ToolSchema[];
  call(call: ToolCall, context: ToolContext): Promise<ToolAnswer>;
  /** Whether calls of this tool only look; false for a tool that is not there. What `ToolContext.earlierReadOnly` is made of. */
  readOnly(name: string): boolean;
}
export type ToolAnswer = ToolReply & {
  readonly activeMs: number;
  /** What is known of the workdir after the call: recorded in the lane `fs`, read by nothing in the run. */
  readonly snapshot?: Evidence;
};
/** Neither served nor compared on replay. */
export interface Evidence {
  readonly t: "fs.snapshot" | "note";
  readonly d: JsonObject;
}
export interface ToolContext {
  /** The call's own lane, such as `main/12.1`. */
  readonly lane: string;
  readonly turn: number;
  readonly signal: AbortSignal;
  /** Settled when every earlier call of the same reply has finished: a tool that cannot run in parallel waits for it. */
  readonly earlier: Promise<void>;
  /** Every earlier call of the same reply only looks: a call that only looks need not wait for `earlier`. Left out: it waits. */
  readonly earlierReadOnly?: boolean;
  /** Records an input that came up inside the call, such as `user.approval`. */
  emit(type: EventType, d: JsonObject): void;
  /** Starts a subagent in a nested lane. */
  spawn(input: JsonObject): Promise<JsonObject>;
}

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

export interface Question {
  readonly kind: "approval" | "question";
  readonly text: string;
  readonly choices: readonly string[];
}
/** The person at the terminal; a headless port returns `undefined` at once. */
export interface User {
  ask(question: Question, signal: AbortSignal): Promise<string | undefined>;
}

/** Takes every event of the run in order. `emit` is synchronous and cheap; `flush` returns when what was emitted is durable. */
export interface EventSink {
  emit(event: RunEvent): void;
  flush(): Promise<void>;
  /** Model text as it streams, for a live front; not recorded. */
  text?(lane: string, delta: string): void;
}
