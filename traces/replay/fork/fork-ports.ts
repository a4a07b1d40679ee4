import type { Ports } from "../../../harness/contract/ports.ts";
import { evidenceSchemas, type RunEvent } from "../../../harness/events/schema.ts";
import { CannotError } from "../../../harness/errors.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { turnsOf } from "../../read/turns.ts";
import { compareEvents } from "../compare/compare-events.ts";
import type { Divergence } from "../compare/divergence.ts";
import { createRecordedEnd } from "../recording/recorded-end.ts";
import { openRecording } from "../recording/open-recording.ts";

/** A run's ports that answer from a recording up to a point, and live from then on. */
export interface Fork {
  readonly ports: Ports;
  /** Whether all that stands before the point has come out again. */
  isLive(): boolean;
  /** Rejects with `CannotError` where the run cannot be brought there as recorded. */
  readonly lost: Promise<never>;
  close(): void;
}

/** Where a recording is left. */
export interface ForkPoint {
  /** A turn of the main conversation; 0: its very beginning. */
  readonly step: number;
  /** The model's reply in that turn is still the recorded one: what is done about it is live. */
  readonly answered: boolean;
}

/** The recorded events before a point, in order. */
export function eventsBefore(events: readonly RunEvent[], { step, answered }: ForkPoint): readonly RunEvent[] {
  if (step === 0) return [];
  const turns = turnsOf(events.map((event, seq) => ({ ...event, seq })));
  const kept = turns.filter(({ turn }) => turn < step).reduce((sum, turn) => sum + turn.events.length, 0);
  const reply = answered ? events.findIndex((event, i) => i >= kept && isReply(event)) : -1;
  return events.slice(0, reply < 0 ? kept : reply + 1);
}

/** What the model says in a turn of the main conversation. */
export const isReply = ({ t, lane }: RunEvent): boolean => t === "model.response" && lane === "main";

/**
 * Every event before the point must come out as recorded; once all have, `live` answers everything. `live.sandbox` must be by then as the recording
 * left it: recorded calls are not carried out here. All events, recorded and new, go to `live.sink`.
 */
export function forkPorts(trace: LoadedTrace, point: ForkPoint, live: Ports): Fork {
  const events = eventsBefore(trace.events, point);
  const prefix: LoadedTrace = { ...trace, events, lines: trace.lines.slice(0, events.length), seal: undefined };
  const compared = events.map((event) => !Object.hasOwn(evidenceSchemas, event.t));
  const toMake = compared.filter(Boolean).length;
  const end = createRecordedEnd(events, { compared, cutOff: true });
  let lose: (error: CannotError) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (lose = reject));
  lost.catch(() => undefined); // whoever waits for the run hears of it
  const refuse = (what: string): CannotError => {
    const error = new CannotError(`The run in ${trace.folder} cannot be brought to turn ${point.step} as recorded: ${what}`);
    lose(error);
    return error;
  };
  const diverged = ({ what }: Divergence): void => void refuse(what);
  const recording = openRecording(events, { identity: live.model.identity, end, diverged });
  const comparison = compareEvents(prefix, { compared, other: true, cutOff: true, diverged, made: (index) => end.made(index) });
  void end.ended.then(() => refuse("it needs more than was recorded until then."));
  let open = toMake === 0;
  const isLive = (): boolean => open;

  const ports: Ports = {
    model: {
      identity: live.model.identity,
      call: (request, o) => (open ? live.model.call(request, o) : recording.ports.model.call(request, o)),
    },
    tools: {
      schemas: live.tools.schemas,
      readOnly: (name) => live.tools.readOnly(name),
      call: (call, context) => (open ? live.tools.call(call, context) : recording.ports.tools.call(call, context)),
    },
    sandbox: live.sandbox,
    clock: { now: () => live.clock.now(), sleep: async (ms, signal) => (open ? live.clock.sleep(ms, signal) : signal?.throwIfAborted()) },
    random: live.random,
    user: live.user,
    ...(live.redact ? { redact: live.redact } : {}),
    sink: {
      flush: () => live.sink.flush(),
      ...(live.sink.text ? { text: (lane: string, delta: string) => live.sink.text?.(lane, delta) } : {}),
      emit(event) {
        if (!open) {
          comparison.sink.emit(asRecorded(trace, event));
          open = comparison.equal() === toMake;
        }
        live.sink.emit(event);
      },
    },
    /** Asked again at each question. */
    get recorded() {
      return open ? undefined : recording.ports.recorded;
    },
  };
  return { ports, isLive, lost, close: () => end.close() };
}

/** A run's first event names its configuration, its model and its trial: others than the recorded ones are no difference. */
function asRecorded({ events }: LoadedTrace, event: RunEvent): RunEvent {
  if (event.t !== "run.start") return event;
  const recorded = events.find(({ lane, n }) => lane === event.lane && n === event.n);
  return recorded?.t === "run.start" ? { ...event, d: { ...recorded.d, input: event.d["input"] ?? null } } : event;
}
