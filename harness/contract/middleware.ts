import type { z } from "zod";
import type { ResolvedConfig } from "./resolved-config.ts";
import type { ExecOptions, ExecResult } from "../sandbox/sandbox.ts";
import type { Message, ModelCall, ModelReply, Section, ToolCall, ToolReply, ToolSchema, ModelParams } from "./messages.ts";
import type { AgentInput, Budget, RunResult, Spent } from "./run-result.ts";

export type Phase = "start" | "model" | "tool" | "finish";
export type Next<In, Out> = (call: In) => Promise<Out>;

/**
 * A part of the harness that can be put in and left out. The first in the list is outermost. All methods are optional.
 * `state()` gives this middleware's private state for one run (a subagent gets its own); it must be plain JSON. Never keep state on the object.
 */
export interface Middleware<State = undefined> {
  readonly name: string;
  readonly version: string;
  /**
   * It changes or leaves out what an earlier model call has sent: a compaction, a masked result, a message for one call alone. Refused at configuration time
   * with a model whose row has `history: frozen`. Left out: it adds at the end alone, and the loop reports where it did not.
   */
  readonly rewrites?: boolean;
  state?(): State;
  /** Once, before the first model call. */
  start?(run: Run<State>): Promise<Patch | void>;
  /** Around each model call. */
  model?(call: ModelCall, next: Next<ModelCall, ModelReply>, run: Run<State>): Promise<ModelReply>;
  /** Around each tool call. Return without calling `next` to refuse it. */
  tool?(call: ToolCall, next: Next<ToolCall, ToolReply>, run: Run<State>): Promise<ToolReply>;
  /** When the model made no calls. Return a message to continue the run. */
  finish?(run: Run<State>): Promise<Resume | void>;
}

export interface Patch {
  /** Appended to the system prompt as a section with the middleware's name. */
  readonly system?: string;
  /** Appended after the task as user messages. */
  readonly messages?: readonly string[];
}
export interface Resume {
  readonly message: string;
  readonly why: string;
}

/** What a middleware sees of the run. `workdir`, `now`, `random`, `exec`, `readFile` and `writeFile` call a port; each result is recorded and served again on replay. */
export interface Run<State = undefined> {
  readonly task: string;
  readonly config: ResolvedConfig;
  readonly lane: string;
  readonly signal: AbortSignal;
  readonly log: RunLog;
  readonly spent: Spent;
  /** What is left of each limit; undefined where there is none. */
  readonly left: Budget;
  state: State;
  /** Delivered as a user message before the next model call of this run, after any tool results. */
  inject(text: string, why: string): void;
  /** Records that this middleware changed something other than by `inject`, `start` or `finish`. One call, one event. */
  intervene(change: string, why: string): void;
  /** Absolute folder in which commands and relative paths of this run begin; on replay, that of the recording. */
  readonly workdir: string;
  /** Runs in the sandbox's workdir. Output is text here, at most 1 MiB. */
  exec(command: string, o?: Pick<ExecOptions, "cwd" | "env" | "timeoutMs">): Promise<TextResult>;
  readFile(path: string): Promise<string | undefined>;
  writeFile(path: string, text: string): Promise<void>;
  /** Unix milliseconds. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** A model call of this middleware's own, in its own lane. */
  model(call: SideCall): Promise<ModelReply>;
  /** Starts a subagent in a nested lane; limits and signal are inherited. */
  spawn(input: AgentInput): Promise<RunResult>;
}
export interface TextResult {
  readonly status: ExecResult["status"];
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface SideCall {
  readonly system?: readonly Section[];
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSchema[];
  readonly params?: Partial<ModelParams>;
}

/** The run so far, for reading. Arrays grow at their end and are never rewritten, so an index seen once stays true. */
export interface RunLog {
  readonly turns: readonly Turn[];
  /**
   * Every call the model made, in order, over all turns. The calls of one turn enter together, before the first `tool` method of the turn
   * begins, so the length counts calls that are still to come. A call's own place, 1 for the first of the run:
   * `run.log.calls.findLastIndex((one) => one.call.id === call.id) + 1`. After `await next(call)` the records before it are complete, and those
   * after it have no `result` yet.
   */
  readonly calls: readonly CallRecord[];
  /** What all middlewares of this run did; the test kit and the trace call the `middleware` of each `name`. */
  readonly interventions: readonly Intervention[];
}
export interface Turn {
  /** 1 for the first model call. */
  readonly n: number;
  /** What was sent, after all middleware. */
  readonly params: ModelParams;
  readonly reply: ModelReply;
}
export interface CallRecord {
  readonly turn: number;
  /** 1 for the first call of its turn. */
  readonly index: number;
  /** As the model made it. */
  readonly call: ToolCall;
  /** As the registry got it; undefined until it did, or when a middleware refused it. */
  readonly executed: ToolCall | undefined;
  /** The registry's reply; undefined until it came, or when a middleware refused the call. */
  readonly result: ToolReply | undefined;
  /** What the model got, after all middleware; undefined until then. */
  readonly reply: ToolReply | undefined;
}
export interface Intervention {
  readonly middleware: string;
  readonly phase: Phase;
  readonly turn: number;
  /** `inject`, `system`, `message`, `resume`, or the change that `intervene` named. */
  readonly change: string;
  readonly text?: string;
  readonly why: string;
}

/** A middleware with its options: what the registry holds and what a user's file exports as default. */
export interface MiddlewareDefinition<Options = unknown, State = undefined> {
  readonly name: string;
  readonly version: string;
  readonly options: z.ZodType<Options>;
  create(options: Options): Middleware<State>;
}
// oxlint-disable-next-line typescript/no-explicit-any -- each middleware has its own option and state types; the registry holds them all
export type AnyMiddlewareDefinition = MiddlewareDefinition<any, any>;
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type AnyMiddleware = Middleware<any>;

/**
 * Defines a middleware. Raise `version` whenever its behaviour changes: it is part of the harness hash.
 * @example
 * export default middleware("nag", "1", z.strictObject({ after: z.int().min(1).default(3) }), ({ after }) => ({
 *   async tool(call, next, run) {
 *     const reply = await next(call);
 *     const place = run.log.calls.findLastIndex((one) => one.call.id === call.id) + 1; // not the length: calls of one turn enter together
 *     if (place === after) run.inject("Mind the tests.", `${after} calls made`);
 *     return reply;
 *   },
 * }));
 */
export function middleware<Options, State = undefined>(
  name: string,
  version: string,
  options: z.ZodType<Options>,
  build: (options: Options) => Omit<Middleware<State>, "name" | "version">,
): MiddlewareDefinition<Options, State> {
  return { name, version, options, create: (given) => ({ name, version, ...build(given) }) };
}
