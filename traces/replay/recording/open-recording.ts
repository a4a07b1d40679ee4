import { ModelError, type ModelErrorKind } from "../../../harness/contract/model-error.ts";
import type {
  Evidence,
  ModelIdentity,
  ModelPlace,
  PortQuestion,
  Ports,
  TimedReply,
  ToolAnswer,
  ToolContext,
} from "../../../harness/contract/ports.ts";
import { snapshotLane } from "../../../harness/agent/call-tools.ts";
import { callsIn, type ToolCall, type ToolReply } from "../../../harness/contract/messages.ts";
import type { EventData, EventType, RunEvent } from "../../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../../harness/json.ts";
import { difference, DivergenceError, type Divergence } from "../compare/divergence.ts";
import { middlewareOf } from "../../read/lanes.ts";
import type { RecordedEnd } from "./recorded-end.ts";

/** What a recording can be asked, by structural place: never a queue over lanes, never a near match. */
export interface Recording {
  /** The loop's ports, answered from the recording. No network, no process, no file. */
  readonly ports: Omit<Ports, "sink">;
  /** References of recorded inputs nobody asked for. */
  unused(): string[];
}

type Data<T extends EventType> = EventData<T>;
interface Entry {
  readonly event: RunEvent;
  readonly index: number;
}

/** `diverged` hears of each question that the recording cannot answer: a middleware may swallow or wrap the error that it gets. */
export function openRecording(
  events: readonly RunEvent[],
  o: { identity: ModelIdentity; end: RecordedEnd; diverged: (divergence: Divergence) => void },
): Recording {
  const { end } = o;
  const { models, calls, reads, snapshots } = byPlace(events);
  const asked = new Set<RunEvent>();
  const toolAsks = new Map<string, number>();

  const noAnswer = (lane: string, what: string, kind: { unanswered?: true } = {}): DivergenceError => {
    const middleware = middlewareOf(lane);
    return new DivergenceError({
      ...kind,
      class: "control flow",
      at: lane,
      seq: undefined,
      what: `The recording has no result for ${what} in lane ${lane}.`,
      diff: "",
      ...(middleware === undefined ? {} : { middleware }),
    });
  };
  const missing = (lane: string, otherwise: () => DivergenceError): Promise<never> =>
    end.missing(lane, otherwise).catch((error: unknown) => {
      if (error instanceof DivergenceError) o.diverged(error.divergence);
      throw error;
    });
  const take = async ({ event, index }: Entry): Promise<RunEvent> => {
    asked.add(event);
    await end.order.turn(index);
    return event;
  };

  const callModel = async ({ lane, ordinal, attempt }: ModelPlace): Promise<TimedReply> => {
    const entry = models.get(`${lane}|${ordinal}|${attempt}`);
    if (!entry) return missing(lane, () => noAnswer(lane, `model call ${ordinal}, attempt ${attempt}`));
    const event = await take(entry);
    if (event.t === "model.attempt") {
      const { kind, message, status, retryAfterMs, stage, silentMs, activeMs } = event.d as unknown as Data<"model.attempt">;
      const cut = stage && silentMs !== undefined ? { stage, silentMs } : undefined;
      throw new ModelError(kind as ModelErrorKind, message, { status, retryAfterMs, activeMs, cut });
    }
    return replyOf(event.d);
  };

  const callTool = async (call: ToolCall, context: ToolContext): Promise<ToolAnswer> => {
    const { lane } = context;
    const nth = toolAsks.get(lane) ?? 0;
    toolAsks.set(lane, nth + 1);
    const inside = calls.get(lane)?.[nth] ?? [];
    const subagents: Promise<unknown>[] = [];
    for (const entry of inside) {
      if (asked.has(entry.event)) continue;
      const { t, d } = entry.event;
      // two subagents that were started in one breath are started so again
      if (t === "tool.result" || !end.order.isTurn(entry.index)) await take(entry);
      asked.add(entry.event);
      if (t === "user.approval") context.emit(t, d);
      else if (t === "agent.spawn") {
        const subagent = context.spawn(d["input"] as JsonObject);
        subagent.catch(() => undefined); // its failure counts where the call waits for it
        subagents.push(subagent);
      } else {
        await Promise.all(subagents);
        const { reply, activeMs } = d as unknown as { reply: ToolReply; activeMs: number };
        const snapshot = snapshots.get(`${lane}#${entry.event.n}`);
        return { ...reply, activeMs, ...(snapshot && { snapshot }) };
      }
    }
    return missing(lane, () => noAnswer(lane, `tool call ${call.name}`));
  };

  const read = (question: PortQuestion): Entry | undefined => reads.get(readKey(question))?.find(({ event }) => !asked.has(event));
  const otherQuestion = ({ lane, port, op, argsDigest }: PortQuestion): DivergenceError => {
    const next = events.find((event) => event.lane === lane && event.t === "port.read" && !asked.has(event));
    if (!next) return noAnswer(lane, `${port}.${op}`, { unanswered: true });
    const recorded = { port: String(next.d["port"]), op: String(next.d["op"]), argsDigest: String(next.d["argsDigest"]) };
    const at = `${lane}#${next.n}`;
    const calls = recorded.port === port && recorded.op === op ? "calls it with other arguments" : `calls ${port}.${op}`;
    const middleware = middlewareOf(lane);
    return new DivergenceError({
      unanswered: true,
      class: "intervention",
      at,
      seq: undefined,
      what: `At ${at} the recording returned ${recorded.port}.${recorded.op}; the replay ${calls}.`,
      diff: difference(recorded, { port, op, argsDigest }, at),
      ...(middleware === undefined ? {} : { middleware }),
    });
  };

  return {
    ports: {
      model: { identity: o.identity, call: (_request, { place }) => callModel(place) },
      tools: { schemas: [], readOnly: () => false, call: callTool },
      sandbox: noSandbox,
      clock: { now: () => 0, sleep: async (_ms, signal) => signal?.throwIfAborted() },
      random: { next: () => 0 },
      user: { ask: async () => undefined },
      recorded: {
        now(question) {
          const entry = read(question);
          if (!entry) {
            const error = otherQuestion(question);
            o.diverged(error.divergence);
            throw error;
          }
          asked.add(entry.event);
          return entry.event.d["result"] as Json;
        },
        async later(question) {
          const entry = read(question);
          if (!entry) return missing(question.lane, () => otherQuestion(question));
          return (await take(entry)).d["result"] as Json;
        },
      },
    },
    unused: () =>
      events
        .filter((event) => ["model.response", "model.attempt", "tool.result", "port.read"].includes(event.t) && !asked.has(event))
        .map((event) => `${event.lane}#${event.n}`),
  };
}

const readKey = ({ lane, port, op, argsDigest }: PortQuestion): string => `${lane}|${port}|${op}|${argsDigest}`;

/** Each recorded answer under the place that asks for it. */
function byPlace(events: readonly RunEvent[]) {
  const models = new Map<string, Entry>();
  /** For each tool call of a lane, in order, what came up inside it; its result last. */
  const calls = new Map<string, Entry[][]>();
  const reads = new Map<string, Entry[]>();
  /** What was known of the workdir after a call, by the reference of its result. */
  const snapshots = new Map<string, Evidence>();
  const requests = new Map<string, { of: Map<string, number>; count: number }>();
  const callOf = new Map<string, Entry[]>();
  const add = <V>(map: Map<string, V[]>, key: string, value: V): void => void (map.get(key)?.push(value) ?? map.set(key, [value]));

  for (const [index, event] of events.entries()) {
    const { t, lane, d } = event;
    const ref = `${lane}#${event.n}`;
    const cause = event.cause[0] ?? "";
    if (t === "model.request") {
      const known = requests.get(lane) ?? { of: new Map<string, number>(), count: 0 };
      known.of.set(ref, known.count++);
      requests.set(lane, known);
    } else if (t === "model.response" || t === "model.attempt") {
      const known = requests.get(lane);
      const ordinal = known?.of.get(cause) ?? (known?.count ?? 1) - 1;
      models.set(`${lane}|${ordinal}|${String(d["attempt"])}`, { event, index });
    } else if (t === "tool.call") {
      const inside: Entry[] = [];
      callOf.set(ref, inside);
      add(calls, lane, inside);
    } else if (t === "tool.result") {
      (callOf.get(cause) ?? calls.get(lane)?.at(-1))?.push({ event, index });
    } else if (t === "user.approval" || t === "agent.spawn") {
      calls.get(lane)?.at(-1)?.push({ event, index });
    } else if (t === "port.read") {
      const { port, op, argsDigest } = d as unknown as Data<"port.read">;
      add(reads, readKey({ lane, port, op, argsDigest }), { event, index });
    } else if (lane === snapshotLane && (t === "fs.snapshot" || t === "note")) {
      snapshots.set(cause, { t, d });
    }
  }
  return { models, calls, reads, snapshots };
}

/** A reply as recorded: calls that are the message's own parts are not said twice. */
type RecordedReply = Omit<TimedReply, "calls"> & { readonly calls?: readonly ToolCall[] };

/** What a `model.response` serves. */
export function replyOf(d: JsonObject): TimedReply {
  const {
    message,
    calls = callsIn(message),
    usage,
    stop,
    cutAt,
    costUsd,
    served,
    sent,
    activeMs,
    redacted,
  } = d as unknown as RecordedReply; // checked by L0
  const rare = { ...(cutAt ? { cutAt } : {}), ...(served ? { served } : {}), ...(sent ? { sent } : {}), ...(redacted ? { redacted } : {}) };
  return { message, calls, usage, stop, costUsd, activeMs, ...rare };
}

const refuse = (): never => {
  throw new Error("A replay reaches no sandbox: every result comes from the recording.");
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
