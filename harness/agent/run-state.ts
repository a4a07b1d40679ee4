import type { ResolvedConfig } from "../contract/resolved-config.ts";
import type { Emitter } from "./record/emitter.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { userMessage, type Message, type Section } from "../contract/messages.ts";
import type { AnyMiddleware, Phase } from "../contract/middleware.ts";
import type { Ports } from "../contract/ports.ts";
import type { RequestRecorder } from "./record/request-record.ts";
import type { AgentInput, Limits, RunResult } from "../contract/run-result.ts";
import { createRunLog, type RunLogWriter } from "./run-log.ts";
import { createAccount, type Account } from "./spent.ts";

/** What a run and all its subagents share. */
export interface Shared {
  readonly config: ResolvedConfig;
  readonly ports: Ports;
  readonly middleware: readonly AnyMiddleware[];
  readonly emitter: Emitter;
  readonly requests: RequestRecorder;
  readonly signal: AbortSignal;
  readonly seed: number | undefined;
  /** The loop itself, handed down so that what starts a subagent need not import it. */
  readonly subagent: (parent: RunState, lane: string, input: AgentInput) => Promise<RunResult>;
}

/** What came to a middleware and what it let go on, at its last model call. */
export interface Passed {
  readonly given: readonly Message[];
  readonly sent: readonly Message[];
}

/** One agent's run in its lane: everything that changes while it goes on. */
export interface RunState {
  readonly shared: Shared;
  readonly lane: string;
  readonly input: AgentInput;
  readonly limits: Limits;
  readonly log: RunLogWriter;
  readonly account: Account;
  readonly system: Section[];
  readonly messages: Message[];
  /** Waiting to be delivered before the next model call. */
  readonly pending: Message[];
  /** Private state of each middleware, by name. */
  readonly privateState: Map<string, unknown>;
  /** By middleware: what its last model call was given and sent. */
  readonly passed: Map<string, Passed>;
  /** Model requests made in each lane. */
  readonly requestCount: Map<string, number>;
  readonly subagents: Map<string, number>;
  /** What was started and has not come back: subagents, questions, side calls. */
  readonly open: Set<Promise<unknown>>;
}

export function createRunState(shared: Shared, lane: string, input: AgentInput, limits: Limits): RunState {
  return {
    shared,
    lane,
    input,
    limits,
    log: createRunLog(),
    account: createAccount(),
    system: [...shared.config.system],
    messages: [],
    pending: [],
    privateState: new Map(shared.middleware.map((one) => [one.name, one.state?.()])),
    passed: new Map(),
    requestCount: new Map(),
    subagents: new Map(),
    open: new Set(),
  };
}

/** Notes what has started, so that nothing outlives its run, awaited or not. Answers the same promise. */
export function begun<T>(state: RunState, work: Promise<T>): Promise<T> {
  const settled: Promise<unknown> = work.catch(() => undefined).finally(() => state.open.delete(settled));
  state.open.add(settled);
  return work;
}

/** Settles when nothing that the run began is under way. */
export async function allBack(state: RunState): Promise<void> {
  while (state.open.size > 0) await Promise.all(state.open);
}

/** Puts a user message that an event brought into the world where later requests can refer to it. */
export function messageFrom(state: RunState, text: string, ref: string): Message {
  const message = deepFreeze(userMessage(text));
  state.shared.requests.cameFrom(message, ref);
  return message;
}

/** One intervention, one event: in the trace, and in the log that middleware reads. Answers the event's reference. */
export function recordIntervention(
  state: RunState,
  place: { middleware: string; phase: Phase; lane: string },
  what: { change: string; text?: string; why: string },
): string {
  const { middleware, phase, lane } = place;
  state.log.intervention({ middleware, phase, turn: state.account.spent.turns, ...what });
  return state.shared.emitter.emit("middleware", `${lane}/mw:${middleware}`, { name: middleware, phase, ...what });
}
