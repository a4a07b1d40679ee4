import { InfraError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { machineryFault, OutsideError } from "./evidence.ts";

/**
 * For a service that failed at something: returns where it had ended by itself, which the agent can make it do. Then there is nothing to take of it, and no
 * other attempt would tell more.
 * @throws OutsideError where someone outside ended it or its daemon went away; the error itself where nothing shows that the service ended
 */
export async function endedInside(service: Sandbox, error: unknown): Promise<void> {
  if (!(error instanceof InfraError)) throw error;
  const seen = await service.evidence?.();
  const fault = machineryFault(seen);
  if (fault) throw new OutsideError(fault);
  if (seen?.state !== "exited") throw error;
}
