import type { CreateOptions } from "../../../harness/sandbox/provider.ts";
import type { TaskEnvironment } from "../../../tasks/task-environment.ts";

/** The network that a sandbox of this environment begins with; where the machine is guarded, as in hardened mode, without what could disturb a neighbour's. */
export function networkOf({ network, networkPolicy, guard }: TaskEnvironment): Pick<CreateOptions, "network" | "hosts" | "rawSockets"> {
  return { network, ...(networkPolicy.mode === "allowlist" && { hosts: networkPolicy.hosts }), ...(guard && { rawSockets: false }) };
}
