import { ConfigError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { isObject } from "../../../harness/json.ts";
import { loadTrace } from "../../read/load-trace.ts";
import { ownerOf } from "../../read/lanes.ts";
import type { PhasePlace } from "../timed-middleware.ts";
import { runName } from "../../read/run-name.ts";
import { asTold } from "./phase-board.ts";

export const whoIn = ({ phase, middleware }: PhasePlace): string =>
  phase === "load" ? "a middleware of the configuration" : `the middleware "${middleware}"`;
export const whereIn = ({ phase }: PhasePlace): string =>
  phase === "load" ? "while it was loaded" : phase === "state" ? "while it made its state" : `in its ${phase} phase`;
export const cureOf = (place: PhasePlace | undefined): string =>
  place && place.phase !== "load"
    ? `Correct it, or leave it out with {name: ${place.middleware}, off: true}.`
    : "Leave one after the other out to see which.";
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What is said of a middleware that kept a thread: who, in which phase, and at which recorded event, as far as these are known. */
export async function stuckError(run: string, place: PhasePlace | undefined): Promise<ConfigError> {
  // the trace was whole when the thread read it, and may be gone by now: the name counts more
  const seq =
    place &&
    (await loadTrace(run)
      .catch(() => undefined)
      .then((trace) => trace && seqOf(trace.events, place)));
  return new ConfigError(
    `${place ? `${capital(whoIn(place))} did not come back ${whereIn(place)}` : "A middleware did not come back"} at ${runName(run)}${seq === undefined ? "" : `:${seq}`}: it kept its thread for 10 s without waiting for anything, as a loop without end does. ${cureOf(place)}`,
  );
}

/** Undefined where the recording has nothing at that place, as where a middleware went on longer than it. */
function seqOf(events: readonly RunEvent[], { phase, lane, turn, call }: PhasePlace): number | undefined {
  const first = (fits: (event: RunEvent) => boolean): number | undefined => {
    const found = events.findIndex(fits);
    return found < 0 ? undefined : found;
  };
  const inLane = (event: RunEvent, t: RunEvent["t"]): boolean => event.t === t && asTold(event.lane) === lane;
  const request = (n: number): number | undefined => first((event) => inLane(event, "model.request") && event.d["turn"] === n);
  switch (phase) {
    case "load":
    case "state":
      return undefined;
    case "start":
      return first((event) => inLane(event, "run.start"));
    case "model":
      return request(turn);
    case "tool":
      return first(
        (event) => event.t === "tool.call" && event.d["turn"] === turn && asTold(ownerOf(event.lane)) === lane && idOf(event) === call,
      );
    case "finish": {
      const [from, to] = [request(turn), request(turn + 1) ?? events.length];
      const reply =
        from === undefined ? -1 : events.findLastIndex((event, seq) => seq > from && seq < to && inLane(event, "model.response"));
      return reply < 0 ? undefined : reply;
    }
  }
}

function idOf({ d: { call } }: RunEvent): string | undefined {
  return isObject(call) && typeof call["id"] === "string" ? asTold(call["id"]) : undefined;
}
