import { ConfigError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { isObject } from "../../harness/json.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { ownerOf } from "../../traces/replay/lanes.ts";
import type { PhasePlace } from "../../traces/replay/timed-middleware.ts";
import { runName } from "../run-name.ts";
import { asTold } from "./phase-board.ts";

/** What is said of a middleware that kept a thread: who, in which phase, and at which recorded event, as far as these are known. */
export async function stuckError(run: string, place: PhasePlace | undefined): Promise<ConfigError> {
  const who = place
    ? `The middleware "${place.middleware}" did not come back in its ${place.phase} phase`
    : "A middleware did not come back";
  const cure = place
    ? `Mend it, or leave it out with {name: ${place.middleware}, off: true}.`
    : "Leave one after the other out to see which.";
  // the trace was whole when the thread read it, and may be gone by now: the name counts more
  const seq =
    place &&
    (await loadTrace(run)
      .catch(() => undefined)
      .then((trace) => trace && seqOf(trace.events, place)));
  return new ConfigError(
    `${who} at ${runName(run)}${seq === undefined ? "" : `:${seq}`}: it kept its thread for 10 s without waiting for anything, as a loop without end does. ${cure}`,
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
