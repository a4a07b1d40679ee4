import type { ResolvedConfig } from "../contract/resolved-config.ts";
import { knownOptions } from "../known-options.ts";
import type { JsonObject } from "../json.ts";
import { callModel } from "./call-model.ts";
import { callTools } from "./call-tools.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { createEmitter } from "./record/emitter.ts";
import { textOf, type ModelReply, type UserMessage } from "../contract/messages.ts";
import type { AnyMiddleware } from "../contract/middleware.ts";
import { finishPhase, modelOnion, startPhase } from "./phases.ts";
import type { Ports } from "../contract/ports.ts";
import { createRequestRecorder } from "./record/request-record.ts";
import type { AgentInput, Outcome, RunResult } from "../contract/run-result.ts";
import { allBack, createRunState, type RunState, type Shared } from "./run-state.ts";
import { budgetLeft, limitReached } from "./spent.ts";
import { cancelOf, outcomeOf, Stop } from "./stop.ts";
import { createEndings } from "./unfinished.ts";

/** A middleware that never lets the run end is stopped by the loop. */
const maxResumes = 10;

export interface RunOptions {
  /** In the order of `config.middleware`, outermost first. */
  readonly middleware: readonly AnyMiddleware[];
  readonly signal?: AbortSignal;
  /** Sampling seed, sent to providers that take one. */
  readonly seed?: number;
  /** Recorded in `run.start` and read by nobody here: versions, task digest, image digest, sandbox, parent. */
  readonly meta?: JsonObject;
}

/**
 * Runs the agent until it is done, a limit is reached, it is cancelled or something breaks. Never throws for any of these: see `RunResult.outcome`.
 * It throws only when the sink cannot record.
 */
export async function runAgent(config: ResolvedConfig, ports: Ports, input: AgentInput, o: RunOptions): Promise<RunResult> {
  knownOptions("runAgent", o, { middleware: true, signal: true, seed: true, meta: true });
  const emitter = createEmitter(ports.sink, ports.redact);
  const shared: Shared = {
    config: deepFreeze(config),
    ports,
    middleware: o.middleware,
    emitter,
    requests: createRequestRecorder(emitter),
    signal: o.signal ?? new AbortController().signal,
    seed: o.seed,
    subagent: (parent, lane, task) => {
      const limits = budgetLeft(parent.limits, parent.account.spent);
      emitter.emit("run.start", lane, { config: { hash: config.hash }, input: task, model: ports.model.identity, meta: {} });
      return loop(createRunState(shared, lane, task, limits));
    },
  };
  emitter.emit("run.start", "main", { config, input, seed: o.seed, model: ports.model.identity, meta: o.meta ?? {} });
  const result = await loop(createRunState(shared, "main", input, config.limits));
  await emitter.flush();
  return result;
}

async function loop(state: RunState): Promise<RunResult> {
  const { emitter, signal } = state.shared;
  let answer = "";
  let place = "start";
  let resumes = 0;
  const endings = createEndings(state);
  const step = async (): Promise<Outcome | undefined> => {
    place = "before model";
    signal.throwIfAborted();
    checkLimits(state);
    place = "model";
    const reply = await modelTurn(state);
    answer = textOf(reply.message.content);
    if (reply.stop === "refusal") return { type: "refused" };
    if (reply.calls.length > 0) {
      endings.called();
      place = "tools";
      state.messages.push(...deepFreeze(await callTools(state, state.account.spent.turns, reply.calls)));
      return undefined;
    }
    place = "finish";
    const ending = endings.judge(reply);
    if (ending) return ending === "goes on" ? undefined : ending;
    const goOn = resumes++ < maxResumes && (await finishPhase(state));
    return goOn ? undefined : { type: "done" };
  };

  let outcome: Outcome | undefined;
  try {
    state.messages.push(taskMessage(state));
    await startPhase(state);
    while (!outcome) outcome = await step();
  } catch (error) {
    const end = outcomeOf(error, signal);
    if (end.external) emitter.emit("cancel", state.lane, { place, ...cancelOf(end.outcome) });
    outcome = end.outcome;
  }
  await allBack(state);
  const result: RunResult = { outcome, answer, spent: { ...state.account.spent } };
  emitter.emit("run.end", state.lane, result);
  return result;
}

/** One model call through the onion; what was waiting is delivered just before it goes out. */
async function modelTurn(state: RunState): Promise<ModelReply> {
  const { model } = state.shared.config;
  const { effort, temperature, topP, maxOutputTokens } = model;
  state.account.turn();
  deliver(state);
  const call = {
    system: [...state.system],
    messages: Object.freeze([...state.messages]), // each was frozen when it came in, so that no turn has to look at all of them again
    tools: state.shared.config.tools,
    params: {
      ...(effort ? { effort } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      maxOutputTokens,
    },
  };
  let sent = call.params;
  const reply = await modelOnion(state, (passed) => {
    sent = { ...passed.params };
    const late = deliver(state);
    return callModel(state, state.lane, late.length > 0 ? { ...passed, messages: [...passed.messages, ...late] } : passed);
  })(deepFreeze(call));
  deepFreeze(reply);
  state.messages.push(reply.message);
  state.log.turn({ n: state.account.spent.turns, params: sent, reply });
  return reply;
}

/** Moves pending messages into the conversation and answers them. */
function deliver(state: RunState): RunState["pending"] {
  const delivered = state.pending.splice(0);
  state.messages.push(...delivered);
  return delivered;
}

function checkLimits(state: RunState): void {
  const hit = limitReached(state.limits, state.account.spent);
  if (!hit) return;
  state.shared.emitter.emit("limit.hit", state.lane, hit);
  throw new Stop({ type: "limit", limit: hit.limit });
}

function taskMessage(state: RunState): UserMessage {
  const { task, images = [] } = state.input;
  const message: UserMessage = deepFreeze({ role: "user", content: [{ type: "text", text: task }, ...images] });
  state.shared.requests.cameFrom(message, `${state.lane}#0`);
  return message;
}
