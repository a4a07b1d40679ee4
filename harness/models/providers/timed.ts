import type { ModelReply } from "../../contract/messages.ts";
import type { Clock, TimedReply } from "../../contract/ports.ts";

/** Runs one try at a model call and says how long it took, in milliseconds of the given clock. */
export async function timed(clock: Clock, attempt: () => Promise<ModelReply>): Promise<TimedReply> {
  const before = clock.now();
  const reply = await attempt();
  return { ...reply, activeMs: clock.now() - before };
}
