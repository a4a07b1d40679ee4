import { ConfigError } from "../../harness/errors.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import type { PhasePlace } from "../../traces/replay/timed-middleware.ts";
import { runName } from "../run-name.ts";

/** What is said of a middleware that kept a thread: who, in which phase, and at which recorded event. */
export async function stuckError(run: string, { middleware, phase, lane, turn, call }: PhasePlace): Promise<ConfigError> {
  const { events } = await loadTrace(run);
  const t = phase === "model" ? "model.request" : "model.response";
  const inLane = events.flatMap((event, seq) => (event.lane === lane && event.t === t ? [seq] : []));
  const isCall = ({ t: type, d }: (typeof events)[number]): boolean =>
    type === "tool.call" && typeof d["call"] === "object" && (d["call"] as { id?: unknown } | null)?.id === call; // looked at
  const seq = phase === "tool" ? events.findIndex(isCall) : phase === "start" ? 0 : inLane[turn - 1];
  return new ConfigError(
    `The middleware "${middleware}" did not come back in its ${phase} phase at ${runName(run)}:${Math.max(0, seq ?? 0)}: it kept its thread for 10 s without waiting for anything, as a loop without end does. Mend it, or leave it out with {name: ${middleware}, off: true}.`,
  );
}
