import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { Verification } from "../../../tasks/verification.ts";
import { endedInside } from "../evidence/ended-inside.ts";

/**
 * Snapshots of what services hold. A hook that fails leaves nothing to collect, and the verifier sees that; one for a service that has ended by then fails too.
 * @throws InfraError where the machinery lost the service, and where the agent's own sandbox runs nothing
 */
export async function runHooks({ collect }: Pick<Verification, "collect">, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { command, service, timeoutMs, user } of collect) {
    const where = service === undefined ? sandbox : sandbox.service?.(service);
    const run = where?.exec(command, { timeoutMs, signal, ...(user === undefined ? {} : { user }) });
    await (where && where !== sandbox ? run?.catch((error: unknown) => endedInside(where, error)) : run);
  }
}
