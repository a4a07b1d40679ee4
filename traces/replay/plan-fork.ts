import { isDeepStrictEqual } from "node:util";
import type { AnyMiddleware } from "../../harness/agent/middleware.ts";
import type { ResolvedConfig } from "../../harness/config/resolved.ts";
import { CannotError } from "../../harness/errors.ts";
import type { LoadedTrace } from "../read/load-trace.ts";
import type { Divergence } from "./divergence.ts";
import { replayTrace } from "./replay-trace.ts";

/** Where a recorded run is left to go on live. */
export interface PlannedFork {
  /** The turn of the main conversation whose request is the first live one; 0: nothing of the recording is used. */
  readonly step: number;
  /** Where the other configuration acts differently, if it does. */
  readonly divergence: Divergence | undefined;
  /** The other configuration names another model, or the same one with other settings. */
  readonly otherModel: boolean;
}

/**
 * The first turn in which another configuration acts differently, or asks another model; undefined where it never does. `from` leaves the recording
 * at that turn instead.
 * @throws CannotError for a `from` that the run has not, or that the other configuration cannot reach as recorded
 */
export async function planFork(
  trace: LoadedTrace,
  o: { readonly config: ResolvedConfig; readonly middleware: readonly AnyMiddleware[]; readonly from?: number },
): Promise<PlannedFork | undefined> {
  const { divergence } = await replayTrace(trace, { config: o.config, assemble: async () => o.middleware });
  const recorded = (trace.events[0]?.d["config"] ?? {}) as unknown as ResolvedConfig; // what `run.start` records
  const otherModel = !isDeepStrictEqual(o.config.model, recorded.model);
  const differs = divergence && (divergence.turn ?? 0);
  const { from } = o;
  if (from === undefined) {
    const step = otherModel ? Math.min(1, differs ?? 1) : differs;
    return step === undefined ? undefined : { step, divergence, otherModel };
  }
  const turns = trace.events.filter(({ t, lane }) => t === "model.request" && lane === "main").length;
  if (from > turns)
    throw new CannotError(`There is no turn ${from} in ${trace.folder}: its last one is ${turns}. Give one up to ${turns}.`);
  if (differs !== undefined && differs < from)
    throw new CannotError(
      `This configuration acts differently in turn ${differs} already, so it cannot be brought to turn ${from} as recorded: ${divergence?.what ?? ""} Give --from ${Math.max(1, differs)} or less, or leave it out.`,
    );
  return { step: from, divergence, otherModel };
}
