import type { Model } from "../harness/contract/ports.ts";
import { createCommandModel, createNopModel, createOracleModel } from "../harness/models/scripted/baseline-models.ts";
import type { Agent } from "../evals/bench-ports.ts";

/** Oracle, nop and commands work by themselves: one tool, no middleware, no limit but the task's time. */
export function scriptedAgent(agent: Exclude<Agent, "configured">, timeoutMs: number): Model {
  if (agent === "oracle") return createOracleModel({ timeoutMs });
  if (agent === "nop") return createNopModel();
  return createCommandModel({ ...agent, timeoutMs });
}
