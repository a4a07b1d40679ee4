import type { ModelReply } from "../agent/messages.ts";
import type { Clock, TimedReply } from "../agent/ports.ts";

/** Runs one try at a model call and says how long it took, in milliseconds of the given clock. */
export async function timed(clock: Clock, attempt: () => Promise<ModelReply>): Promise<TimedReply> {
  const before = clock.now();
  const reply = await attempt();
  return { ...reply, activeMs: clock.now() - before };
}
