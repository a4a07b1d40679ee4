import { ModelError, type ModelErrorKind } from "../../harness/models/model-error.ts";
import { InfraError } from "../../harness/errors.ts";
import { DeadlineError } from "../../harness/agent/result.ts";
import type { ModelPlace, PortQuestion, Ports, TimedReply, ToolContext } from "../../harness/agent/ports.ts";
import type { ModelIdentity } from "../../harness/agent/ports.ts";
import type { ToolCall, ToolReply } from "../../harness/agent/messages.ts";
import type { EventData, EventType, RunEvent } from "../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import { DivergenceError } from "./divergence.ts";

/** What a recording can be asked, by structural place: never a queue over lanes, never a near match. */
export interface Recording {
  /** The loop's ports, answered from the recording. No network, no process, no file. */
  readonly ports: Omit<Ports, "sink">;
  readonly signal: AbortSignal;
  /** Called for each event the replay makes: a recorded cancel comes when its lane has reached the place. */
  reached(event: RunEvent): void;
  /** References of recorded inputs nobody asked for. */
  unused(): string[];
}

type Data<T extends EventType> = EventData<T>;

export function openRecording(events: readonly RunEvent[], identity: ModelIdentity): Recording {
  const lanes = new Map<string, RunEvent[]>();
  for (const event of events) {
    const lane = lanes.get(event.lane);
    if (lane) lane.push(event);
    else lanes.set(event.lane, [event]);
  }
  const asked = new Set<RunEvent>();
  const cursors = new Map<string, number>();
  const controller = new AbortController();

  const cancelAs = (event: RunEvent): Error => {
    const { reason, error } = event.d as unknown as Data<"cancel">;
    if (reason === "DeadlineError") return new DeadlineError(reason);
    return error === undefined ? new Error(reason) : new InfraError(reason);
  };
  const cancelled = (lane: string): RunEvent | undefined => {
    const owner = lane.split("/mw:")[0]?.replace(/\/\d+\.\d+$/, "") ?? lane;
    return lanes.get(owner)?.find((event) => event.t === "cancel") ?? lanes.get(lane)?.find((event) => event.t === "cancel");
  };
  /** Nothing was recorded here: the run was cut off at this place, or the replay asks what the run never asked. */
  const missing = (lane: string, what: string): Error => {
    const cancel = cancelled(lane) ?? cancelled("main");
    if (cancel) {
      if (!controller.signal.aborted) controller.abort(cancelAs(cancel));
      return controller.signal.reason as Error; // set one line above
    }
    const message = `The recording has no answer to ${what} in lane ${lane}.`;
    return new DivergenceError({ class: "control flow", at: lane, seq: undefined, what: message, diff: "", ended: true });
  };
  const take = (lane: string, kinds: readonly EventType[]): RunEvent | undefined => {
    const list = lanes.get(lane) ?? [];
    for (let i = cursors.get(lane) ?? 0; i < list.length; i++) {
      const event = list[i];
      if (!event || !kinds.includes(event.t)) continue;
      cursors.set(lane, i + 1);
      asked.add(event);
      return event;
    }
    return undefined;
  };

  const callModel = (place: ModelPlace): TimedReply => {
    const event = take(place.lane, ["model.response", "model.attempt"]);
    if (!event) throw missing(place.lane, `model call ${place.ordinal}`);
    if (event.t === "model.attempt") {
      const { kind, message, status, retryAfterMs, activeMs } = event.d as unknown as Data<"model.attempt">;
      throw new ModelError(kind as ModelErrorKind, message, { status, retryAfterMs, activeMs });
    }
    return replyOf(event.d as unknown as Data<"model.response">);
  };

  const callTool = async (call: ToolCall, context: ToolContext): Promise<ToolReply & { activeMs: number }> => {
    for (;;) {
      const event = take(context.lane, ["user.approval", "agent.spawn", "tool.result"]);
      if (!event) throw missing(context.lane, `tool call ${call.name}`);
      if (event.t === "agent.spawn") await context.spawn(event.d["input"] as JsonObject);
      else if (event.t === "user.approval") context.emit(event.t, event.d);
      else {
        const { reply, activeMs } = event.d as unknown as { reply: ToolReply; activeMs: number };
        return { ...reply, activeMs };
      }
    }
  };

  const recorded = ({ lane, port, op, argsDigest }: PortQuestion): Json => {
    const event = take(lane, ["port.read"]);
    if (!event) throw missing(lane, `${port}.${op}`);
    const read = event.d as unknown as Data<"port.read">;
    if (read.port !== port || read.op !== op || read.argsDigest !== argsDigest) {
      const message = `In lane ${lane} the recording answered ${read.port}.${read.op}; the replay asks ${port}.${op} with other arguments.`;
      throw new DivergenceError({ class: "intervention", at: `${event.lane}#${event.n}`, seq: undefined, what: message, diff: "" });
    }
    return read.result as Json;
  };

  return {
    signal: controller.signal,
    ports: {
      model: { identity, call: async (_request, { place }) => callModel(place) },
      tools: { schemas: [], readOnly: () => false, call: callTool },
      sandbox: noSandbox,
      clock: { now: () => 0, sleep: async (_ms, signal) => signal?.throwIfAborted() },
      random: { next: () => 0 },
      user: { ask: async () => undefined },
      recorded,
    },
    reached(event) {
      const next = lanes.get(event.lane)?.[event.n + 1];
      if (next?.t !== "cancel" || next.d["place"] === "tools" || controller.signal.aborted) return;
      asked.add(next);
      controller.abort(cancelAs(next));
    },
    unused: () =>
      events
        .filter((event) => (event.t === "model.response" || event.t === "tool.result" || event.t === "port.read") && !asked.has(event))
        .map((event) => `${event.lane}#${event.n}`),
  };
}

function replyOf(d: Data<"model.response">): TimedReply {
  const { message, calls, usage, stop, costUsd, served, activeMs, redacted } = d as unknown as TimedReply; // recorded from a TimedReply, checked by L0
  return { message, calls, usage, stop, costUsd, activeMs, ...(served ? { served } : {}), ...(redacted ? { redacted } : {}) };
}

const refuse = (): never => {
  throw new Error("A replay reaches no sandbox: every answer comes from the recording.");
};
const noSandbox: Ports["sandbox"] = {
  kind: "local",
  workdir: "/",
  exec: refuse,
  readFile: refuse,
  writeFile: refuse,
  upload: refuse,
  download: refuse,
  endProcesses: refuse,
  usage: refuse,
  close: async () => undefined,
};
