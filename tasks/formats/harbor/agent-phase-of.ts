import type { AgentPhase } from "../../task.ts";
import { networkPolicy } from "./network-policy.ts";
import type { AgentToml } from "./task-toml.ts";

/** What holds while the agent runs; `inherited` fills in what the table does not say. Ten minutes where neither sets a time limit. */
export function agentPhaseOf(table: AgentToml, inherited: AgentToml, key: string): AgentPhase {
  const user = table.user ?? inherited.user;
  const network = networkPolicy(table, key) ?? networkPolicy(inherited, key);
  return {
    timeoutMs: (table.timeout_sec ?? inherited.timeout_sec ?? 600) * 1000,
    ...(user !== undefined && { user: String(user) }),
    ...(network && { network }),
  };
}
