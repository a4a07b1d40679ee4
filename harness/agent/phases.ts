import { holdEarlierMessages } from "./earlier-messages.ts";
import { messageOf } from "../errors.ts";
import type { ModelCall, ModelReply, ToolCall, ToolReply } from "../contract/messages.ts";
import type { AnyMiddleware, Next, Phase, Resume } from "../contract/middleware.ts";
import { createPhaseRun, type PhaseRun } from "./run-context.ts";
import { begun, messageFrom, recordIntervention, type RunState } from "./run-state.ts";
import { isRunEnd, MiddlewareError } from "./stop.ts";

/** Every middleware's `start`, outermost first: sections for the system prompt, messages after the task. */
export async function startPhase(state: RunState): Promise<void> {
  for (const one of state.shared.middleware) {
    if (!one.start) continue;
    const { run } = createPhaseRun(state, one, "start", state.lane);
    const patch = await guarded(state, one, "start", async () => one.start?.(run));
    const place = { middleware: one.name, phase: "start", lane: state.lane } as const;
    if (patch?.system) {
      recordIntervention(state, place, { change: "system", text: patch.system, why: "start" });
      state.system.push({ name: one.name, text: patch.system });
    }
    for (const text of patch?.messages ?? []) {
      const ref = recordIntervention(state, place, { change: "message", text, why: "start" });
      state.messages.push(messageFrom(state, text, ref));
    }
  }
}

/** Every middleware's `finish`, outermost first, until one says that the work is not done. Its message is in the conversation then. */
export async function finishPhase(state: RunState): Promise<Resume | undefined> {
  for (const one of state.shared.middleware) {
    if (!one.finish) continue;
    const { run } = createPhaseRun(state, one, "finish", state.lane);
    const resume = await guarded(state, one, "finish", async () => one.finish?.(run));
    if (!resume) continue;
    const place = { middleware: one.name, phase: "finish", lane: state.lane } as const;
    const ref = recordIntervention(state, place, { change: "resume", text: resume.message, why: resume.why });
    state.pending.push(messageFrom(state, resume.message, ref));
    return resume;
  }
  return undefined;
}

/** Wraps the middlewares' `model` around `core`, first in the list outermost. */
export function modelOnion(state: RunState, core: Next<ModelCall, ModelReply>): Next<ModelCall, ModelReply> {
  return onion(
    state,
    state.lane,
    "model",
    core,
    (one) => one.model?.bind(one),
    ["system", "messages", "tools", "params"],
    ["message", "calls", "stop"],
    (one, call, sent) => holdEarlierMessages(state, one, call, sent),
  );
}

/** The same for one tool call in its own lane. */
export function toolOnion(state: RunState, lane: string, core: Next<ToolCall, ToolReply>): Next<ToolCall, ToolReply> {
  return onion(state, lane, "tool", core, (one) => one.tool?.bind(one), ["name", "args"], ["status", "content", "effects"]);
}

type Layer<In, Out> = (call: In, next: Next<In, Out>, run: PhaseRun["run"]) => Promise<Out>;

/**
 * A middleware that changes what passes through it without saying so is still an event: what came in is compared with what went on,
 * part by part and by identity, which costs nothing and finds every copy.
 */
function onion<In extends object, Out extends object>(
  state: RunState,
  lane: string,
  phase: Phase,
  core: Next<In, Out>,
  layerOf: (one: AnyMiddleware) => Layer<In, Out> | undefined,
  inParts: readonly (keyof In & string)[],
  outParts: readonly (keyof Out & string)[],
  hold?: (one: AnyMiddleware, call: In, sent: In) => void,
): Next<In, Out> {
  return state.shared.middleware.reduceRight<Next<In, Out>>((next, one) => {
    const layer = layerOf(one);
    if (!layer) return next;
    return async (call) => {
      const { run, announced } = createPhaseRun(state, one, phase, lane);
      const silent = (change: string): void => {
        if (announced() === 0) recordIntervention(state, { middleware: one.name, phase, lane }, { change, why: "not stated" });
      };
      let answer: Out | undefined;
      const pass: Next<In, Out> = async (sent) => {
        const parts = inParts.filter((part) => sent[part] !== call[part]);
        if (parts.length > 0) silent(`changed ${parts.join(", ")} of the call`);
        hold?.(one, call, sent);
        answer = await next(sent);
        return answer;
      };
      const reply = await guarded(state, one, phase, () => layer(call, (sent) => begun(state, pass(sent)), run));
      const given = answer;
      const parts = given === undefined ? ["all"] : outParts.filter((part) => reply[part] !== given[part]);
      if (parts.length > 0) silent(given === undefined ? "answered in place of the call" : `changed ${parts.join(", ")} of the reply`);
      return reply;
    };
  }, core);
}

/** An exception of a middleware names it; the end of the run passes through untouched. */
async function guarded<T>(state: RunState, one: AnyMiddleware, phase: Phase, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isRunEnd(error, state.shared.signal)) throw error;
    const file = state.shared.config.middleware.find(({ name }) => name === one.name)?.source?.path;
    throw new MiddlewareError(
      `The middleware "${one.name}"${file === undefined ? "" : ` (${file}${lineIn(file, error)})`} threw in its ${phase} phase: ${messageOf(error)}. Mend it, or leave it out with {name: ${one.name}, off: true}.`,
    );
  }
}

/** `:12`, the innermost line of this file that an error names; nothing where it names none. Found by the file's name alone: a replay may have it elsewhere. */
function lineIn(file: string, error: unknown): string {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s*at /.test(line)) : [];
  const name = `${file.split(/[/\\]/).at(-1)}:`;
  for (const frame of frames) {
    const place = frame.split(/[/\\(]/).at(-1) ?? "";
    const line = place.startsWith(name) ? Number.parseInt(place.slice(name.length), 10) : Number.NaN;
    if (!Number.isNaN(line)) return `:${line}`;
  }
  return "";
}
