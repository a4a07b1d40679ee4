import { isDeepStrictEqual } from "node:util";
import type { AnyMiddleware } from "../../../harness/contract/middleware.ts";
import { recordedModel } from "../../../harness/config/recorded-model.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { CannotError } from "../../../harness/errors.ts";
import { evidenceSchemas, type RunEvent } from "../../../harness/events/schema.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { turnsOf } from "../../read/turns.ts";
import type { Divergence } from "../compare/divergence.ts";
import { isReply, type ForkPoint } from "./fork-ports.ts";
import { replayTrace } from "../replay-trace.ts";

/** Where a recorded run is left to go on live. */
export interface PlannedFork extends ForkPoint {
  /** Where the other configuration acts differently, if it does. */
  readonly divergence: Divergence | undefined;
  /** The other configuration names another model, or the same one with other settings. */
  readonly otherModel: boolean;
}

/**
 * The first place where another configuration acts differently, or asks another model; undefined where it never does. A reply that it would have got too
 * is kept: asked again, the model might say something else, and what the configuration does about that one would not be seen. `from` leaves the
 * recording at the request of that turn instead.
 * @throws CannotError for a `from` that the run has not, or that the other configuration cannot reach as recorded
 */
export async function planFork(
  trace: LoadedTrace,
  o: { readonly config: ResolvedConfig; readonly middleware: readonly AnyMiddleware[]; readonly from?: number },
): Promise<PlannedFork | undefined> {
  const made = new Set<string>();
  const { divergence } = await replayTrace(trace, {
    config: o.config,
    assemble: async () => o.middleware,
    onEvent: (event) => void made.add(keyOf(event)),
  });
  const recorded = (trace.events[0]?.d["config"] ?? {}) as unknown as ResolvedConfig; // what `run.start` records
  const otherModel = !isDeepStrictEqual(recordedModel(o.config.model), recordedModel({ ...recorded.model }));
  const point = divergence && pointBefore(trace.events, { turn: divergence.turn ?? 0, made });
  const { from } = o;
  if (from === undefined) {
    if (otherModel) return { step: Math.min(1, point?.step ?? 1), answered: false, divergence, otherModel };
    return point && { ...point, divergence, otherModel };
  }
  const turns = trace.events.filter(({ t, lane }) => t === "model.request" && lane === "main").length;
  if (from > turns)
    throw new CannotError(`There is no turn ${from} in ${trace.folder}: its last one is ${turns}. Give one up to ${turns}.`);
  if (point && point.step < from)
    throw new CannotError(
      `This configuration acts differently in turn ${point.step} already, so it cannot be brought to turn ${from} as recorded: ${divergence?.what ?? ""} Give --from ${Math.max(1, point.step)} or less, or leave it out.`,
    );
  return { step: from, answered: false, divergence, otherModel };
}

/**
 * The last point before which every recorded event came out again. A difference that shows in a turn may be older: an intervention that was not made is
 * missed when the next request lacks its message.
 */
function pointBefore(events: readonly RunEvent[], o: { readonly turn: number; readonly made: ReadonlySet<string> }): ForkPoint {
  const isMissing = (event: RunEvent): boolean => !Object.hasOwn(evidenceSchemas, event.t) && !o.made.has(keyOf(event));
  const missing = events.find(isMissing);
  const turns = turnsOf(events.map((event, seq) => ({ ...event, seq })));
  const holder = missing && turns.find((turn) => turn.events.some((event) => keyOf(event) === keyOf(missing)));
  const step = Math.min(o.turn, holder?.turn ?? o.turn);
  const own = turns.find(({ turn }) => turn === step)?.events ?? [];
  const [reply, lost] = [own.findIndex(isReply), own.findIndex(isMissing)];
  return { step, answered: step > 0 && reply >= 0 && (lost < 0 || reply < lost) };
}

const keyOf = ({ lane, n }: RunEvent): string => `${lane}#${n}`;
