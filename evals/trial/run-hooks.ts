import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Verification } from "../../tasks/verification.ts";

/** Snapshots of what services hold. A hook that fails leaves nothing to collect, and the verifier sees that. */
export async function runHooks({ collect }: Pick<Verification, "collect">, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { command, service, timeoutMs, user } of collect) {
    const where = service === undefined ? sandbox : sandbox.service?.(service);
    await where?.exec(command, { timeoutMs, signal, ...(user === undefined ? {} : { user }) });
  }
}
