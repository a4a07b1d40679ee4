import { callTools } from "../../../harness/agent/call-tools.ts";
import { deepFreeze } from "../../../harness/agent/deep-freeze.ts";
import { createEmitter } from "../../../harness/agent/record/emitter.ts";
import type { ModelCall } from "../../../harness/contract/messages.ts";
import type { AnyMiddleware } from "../../../harness/contract/middleware.ts";
import { finishPhase, modelOnion, startPhase } from "../../../harness/agent/phases.ts";
import type { EventSink } from "../../../harness/contract/ports.ts";
import { createRequestRecorder } from "../../../harness/agent/record/request-record.ts";
import type { AgentInput, RunResult } from "../../../harness/contract/run-result.ts";
import { allBack, createRunState, type RunState, type Shared } from "../../../harness/agent/run-state.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { messageOf } from "../../../harness/errors.ts";
import type { EventData } from "../../../harness/events/schema.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { middlewareOf } from "../../read/lanes.ts";
import { timed, type Patience } from "../timed-middleware.ts";
import { openTape, type Tape, type TapeLane, type TapeTurn } from "./tape.ts";
import { shadowed, UnansweredError, type Effect, type ShadowListener } from "./shadow-middleware.ts";

/** A place of a recorded run where a middleware would act. */
export interface Trigger {
  readonly middleware: string;
  readonly phase: "start" | "model" | "tool" | "finish";
  readonly effect: Effect;
  readonly lane: string;
  /** 0 before the first request. */
  readonly turn: number;
  /** Of the recorded event where it would act: the request, the call, or the reply that ends the work. */
  readonly seq: number;
  readonly change: string;
  /** What would be injected. */
  readonly text?: string;
  readonly why: string;
}

export interface ShadowVerdict {
  readonly triggers: readonly Trigger[];
  /** By middleware: phases left out because it asked what nobody had asked at this place of the recording. */
  readonly unanswered: Readonly<Record<string, number>>;
  /** A middleware threw or did not come back: from there on nothing is known. */
  readonly error?: string;
}

/**
 * Where middlewares would act in a recorded run, had they only watched: recorded replies and results are served whatever a request would be, and
 * what they do is noted and not applied. Needs nothing of the recorded middleware, so any trace that is whole can be asked.
 */
export async function shadowRun(
  trace: LoadedTrace,
  { config, middleware, patience }: { config: ResolvedConfig; middleware: readonly AnyMiddleware[]; patience?: Patience },
): Promise<ShadowVerdict> {
  const o = { config, middleware: middleware.map((one) => timed(one, patience)) };
  const open = new Map<string, number>();
  const tape = openTape(trace, (at) => {
    const name = middlewareOf(at) ?? "";
    open.set(name, (open.get(name) ?? 0) + 1);
  });
  const triggers: Trigger[] = [];
  const unanswered: Record<string, number> = {};
  const count = (name: string): void => void (unanswered[name] = (unanswered[name] ?? 0) + 1);
  let error: string | undefined;
  for (const lane of tape.lanes) {
    try {
      await follow(lane, tape, o, { triggers, unanswered: count, asked: (name) => open.get(name) ?? 0 });
    } catch (thrown) {
      // the recording ends in the middle of a call: nothing more is to be seen there
      if (!(thrown instanceof UnansweredError)) error ??= messageOf(thrown);
    }
  }
  return { triggers: triggers.toSorted((a, b) => a.seq - b.seq), unanswered, ...(error === undefined ? {} : { error }) };
}

/** One agent's run, the main one's or a subagent's. */
async function follow(
  lane: TapeLane,
  tape: Tape,
  o: { config: ResolvedConfig; middleware: readonly AnyMiddleware[] },
  found: { triggers: Trigger[]; unanswered: (middleware: string) => void; asked: (middleware: string) => number },
): Promise<void> {
  let notes: (Trigger & { settled: boolean })[] = [];
  const place = { turn: 0, seq: lane.seq };
  const sink: EventSink = {
    flush: async () => undefined,
    emit({ t, d, lane: at }) {
      if (t !== "middleware") return;
      const { name, phase, change, text, why } = d as unknown as EventData<"middleware">; // made by the phases just now
      const inner = at.slice(0, at.lastIndexOf("/mw:"));
      const effect = change === "resume" ? "resume" : text === undefined ? "note" : "inject";
      const seq = phase === "tool" ? (tape.callAt(inner) ?? place.seq) : place.seq;
      notes.push({
        middleware: name,
        phase,
        effect,
        lane: inner,
        turn: place.turn,
        seq,
        change,
        why,
        settled: effect === "resume", // made when its phase is over
        ...(text === undefined ? {} : { text }),
      });
    },
  };
  const listener: ShadowListener = {
    unanswered: found.unanswered,
    asked: found.asked,
    doubtful({ middleware, phase }) {
      notes = notes.filter((note) => note.settled || note.middleware !== middleware || note.phase !== phase);
    },
    settled({ middleware, phase, effect }) {
      for (const note of notes) {
        if (note.settled || note.middleware !== middleware || note.phase !== phase) continue;
        Object.assign(note, { settled: true, ...(note.effect === "note" ? { effect } : {}) });
      }
    },
  };
  const emitter = createEmitter(sink, undefined);
  const shared: Shared = {
    config: deepFreeze(o.config),
    ports: tape.ports(() => state),
    middleware: o.middleware.map((one) => shadowed(one, listener)),
    emitter,
    requests: createRequestRecorder(emitter),
    signal: new AbortController().signal,
    seed: undefined,
    subagent: (_parent, child) => subagentOf(tape, child),
  };
  const state = createRunState(shared, lane.name, lane.input as unknown as AgentInput, o.config.limits);
  try {
    tape.at(lane, 0);
    await startPhase(state);
    for (const turn of lane.turns) {
      Object.assign(place, { turn: turn.turn, seq: turn.seq });
      tape.at(lane, turn.turn);
      if (!(await followTurn(state, turn, place))) break;
    }
    await allBack(state);
  } finally {
    for (const { settled: _, ...trigger } of notes) found.triggers.push(trigger);
  }
}

/** False where the recording has no reply to the request. */
async function followTurn(state: RunState, { request, reply, replySeq }: TapeTurn, place: { seq: number }): Promise<boolean> {
  if (!reply) return false;
  const { activeMs, ...served } = reply;
  state.account.turn();
  state.pending.length = 0; // what would have been injected is noted
  const { system, messages, tools } = request;
  const params = request.params as unknown as ModelCall["params"]; // checked by L0
  const call: ModelCall = deepFreeze({ system: [...system], messages: [...messages], tools: [...tools], params });
  await modelOnion(state, async () => {
    state.account.model(served, activeMs);
    return deepFreeze(served);
  })(call);
  state.log.turn({ n: state.account.spent.turns, params, reply: served });
  place.seq = replySeq;
  if (served.calls.length > 0) await callTools(state, state.account.spent.turns, served.calls);
  else if (served.stop !== "refusal") await finishPhase(state);
  return true;
}

async function subagentOf(tape: Tape, lane: string): Promise<RunResult> {
  const end = tape.endOf(lane);
  if (!end) throw new UnansweredError(`The recording has no subagent in lane ${lane}.`);
  return end as unknown as RunResult; // what `run.end` records
}
