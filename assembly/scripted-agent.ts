import type { Model } from "../harness/contract/ports.ts";
import { createCommandModel } from "../harness/models/scripted/command-model.ts";
import { createNopModel } from "../harness/models/scripted/nop-model.ts";
import { createOracleModel } from "../harness/models/scripted/oracle-model.ts";
import type { Agent } from "../evals/bench-ports.ts";

/** Oracle, nop and commands work by themselves: one tool, no middleware, no limit but the task's time. */
export function scriptedAgent(agent: Exclude<Agent, "configured">, timeoutMs: number): Model {
  if (agent === "oracle") return createOracleModel({ timeoutMs });
  if (agent === "nop") return createNopModel();
  return createCommandModel({ ...agent, timeoutMs });
}
