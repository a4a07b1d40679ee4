import type { CreateOptions } from "../../harness/sandbox/provider.ts";
import type { TaskEnvironment } from "../../tasks/task-environment.ts";

/** The network that a sandbox of this environment begins with. */
export function networkOf({ network, networkPolicy }: TaskEnvironment): Pick<CreateOptions, "network" | "hosts"> {
  return { network, ...(networkPolicy.mode === "allowlist" && { hosts: networkPolicy.hosts }) };
}
