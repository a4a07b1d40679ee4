import { DeadlineError } from "../../../harness/contract/run-result.ts";
import { InfraError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { Divergence } from "../compare/divergence.ts";
import { ownerOf, within } from "../../read/lanes.ts";
import { createRecordedOrder, type RecordedOrder } from "./recorded-order.ts";

/**
 * How a recorded run was brought to its end from outside, done again: the signal of a cancelled run fires when the replay stands where the
 * recording stood, and a question that got no answer waits for that.
 */
export interface RecordedEnd {
  readonly signal: AbortSignal;
  readonly order: Pick<RecordedOrder, "turn" | "isTurn">;
  /** The replay has made this recorded event. */
  made(index: number): void;
  /** Nothing was recorded here: answers with how the run ended at this place, or throws `otherwise` when it did not end from outside. */
  missing(lane: string, otherwise: () => Error & { divergence: Divergence }): Promise<never>;
  /** Settles when a recording that was cut off has been replayed to its end. */
  readonly ended: Promise<void>;
  /** A question without an answer although the recording goes on behind it: what a divergence that follows really comes from. */
  suspect(): Divergence | undefined;
  close(): void;
}

interface Parked {
  readonly lane: string;
  readonly divergence: Divergence;
  reject(error: unknown): void;
}

export function createRecordedEnd(events: readonly RunEvent[], o: { compared: readonly boolean[]; cutOff: boolean }): RecordedEnd {
  const controller = new AbortController();
  const parked = new Set<Parked>();
  const cancels = events.flatMap((event, index) => (event.t === "cancel" ? [{ lane: event.lane, index, event }] : []));
  // `before model` is where the loop looks at the signal; anywhere else an error came out of a port and was no signal
  const bySignal = cancels.filter(({ event }) => event.d["error"] === undefined || event.d["place"] === "before model");
  const atCheck = cancels
    .filter(({ event }) => event.d["place"] === "before model")
    .map((cancel) => ({
      ...cancel,
      left: events.filter((event, i) => i < cancel.index && o.compared[i] && within(event.lane, cancel.lane)).length,
    }));
  let suspect: Divergence | undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  /** A recorded event in the lane of the question, or in the run that it belongs to, has not been made: the question came too early. */
  const tooEarly = (lane: string): boolean => {
    const owner = ownerOf(lane);
    const until = cancels.find((cancel) => cancel.lane === owner)?.index ?? events.length;
    return events.some((event, i) => i < until && (event.lane === lane || event.lane === owner) && !order.isMade(i));
  };
  const abort = (event: RunEvent): void => {
    if (!controller.signal.aborted) controller.abort(cancelAs(event));
    for (const one of parked) one.reject(controller.signal.reason);
    parked.clear();
  };
  /** A recording that was cut off goes on behind a question without an answer: it failed, and what that led to was not recorded any more. */
  const failOldest = (): void => {
    const [oldest] = parked;
    if (!oldest) return;
    parked.delete(oldest);
    oldest.reject(new InfraError("The recording ends before the reply."));
    order.watch();
  };
  const order = createRecordedOrder(o.compared, (waiting) => {
    for (const one of parked) if (tooEarly(one.lane)) suspect ??= one.divergence;
    const [first] = bySignal;
    if (parked.size > 0 && first) abort(first.event);
    else if (waiting > 0) order.release();
    else if (parked.size > 0 && !order.allMade()) failOldest();
    else if (parked.size > 0) end();
  });

  return {
    signal: controller.signal,
    order,
    ended,
    suspect: () => suspect,
    close: () => order.close(),
    made(index) {
      order.made(index);
      for (const check of atCheck) {
        const lane = events[index]?.lane ?? "";
        if (index < check.index && within(lane, check.lane) && --check.left === 0) abort(check.event);
      }
    },
    async missing(lane, otherwise) {
      const own = cancels.find((cancel) => cancel.lane === ownerOf(lane));
      const error = otherwise();
      if (own && !bySignal.includes(own)) {
        if (tooEarly(lane)) suspect ??= error.divergence;
        throw cancelAs(own.event);
      }
      if (controller.signal.aborted) throw controller.signal.reason;
      if (bySignal.length === 0 && !o.cutOff) throw error;
      order.watch();
      return new Promise<never>((_, reject) => parked.add({ lane, divergence: error.divergence, reject }));
    },
  };
}

/** As it was thrown: the loop tells the end of a time, the machinery's fault and a person's wish apart. */
function cancelAs({ d }: RunEvent): Error {
  const reason = String(d["reason"]);
  if (reason === DeadlineError.name) return new DeadlineError(reason);
  return d["error"] === undefined ? new Error(reason) : new InfraError(reason);
}
