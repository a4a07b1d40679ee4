import type { NetworkPolicy } from "../../../harness/sandbox/sandbox.ts";
import type { TaskEnvironment } from "../../task-environment.ts";

/** The environment, behind a gateway where its own network, or that of one of the phases that run in it, is limited to a list of hosts. */
export function behindGateway(environment: TaskEnvironment, phases: readonly { readonly network?: NetworkPolicy }[]): TaskEnvironment {
  const policies = [environment.networkPolicy, ...phases.map(({ network }) => network)];
  return policies.some((policy) => policy?.mode === "allowlist") ? { ...environment, gateway: true } : environment;
}
