import type { AgentInput, RunResult } from "../contract/run-result.ts";
import { begun, type RunState } from "./run-state.ts";

/** Starts a subagent in a lane below `lane` and waits for it. What it spent is the parent's bill too. */
export function spawnSubagent(state: RunState, lane: string, input: AgentInput): Promise<RunResult> {
  return begun(state, spawnAndJoin(state, lane, input));
}

async function spawnAndJoin(state: RunState, lane: string, input: AgentInput): Promise<RunResult> {
  const { emitter, subagent } = state.shared;
  const k = state.subagents.get(lane) ?? 0;
  state.subagents.set(lane, k + 1);
  const child = `${lane}/sub${k}`;
  const ref = emitter.emit("agent.spawn", lane, { lane: child, input });
  const result = await subagent(state, child, input);
  emitter.emit("agent.join", lane, { lane: child, outcome: result.outcome }, [ref]);
  state.account.join(result.spent);
  return result;
}
