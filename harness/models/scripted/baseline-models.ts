import type { Model } from "../../contract/ports.ts";
import { timerMs } from "../../timer-ms.ts";
import { createScriptedModel } from "./scripted-model.ts";

/**
 * An agent that makes one bash call and is done: the oracle, or a wrong solution that must fail.
 * @param o.timeoutMs what the call gets; the bash tool must allow as much.
 */
export function createCommandModel(o: { name: string; command: string; timeoutMs: number }): Model {
  const call = { name: "bash", args: { command: o.command, timeoutMs: timerMs(o.timeoutMs) } };
  return createScriptedModel([{ text: "I run the command.", calls: [call] }, { text: "The command has run." }], { name: o.name });
}

/** The agent that does nothing: a task it passes checks nothing. */
export function createNopModel(): Model {
  return createScriptedModel([{ text: "Nothing to do." }], { name: "nop" });
}

/** Where the task's solution lies; a sandbox without container paths says so by the variable. Harbor's own oracle has nobody to answer apt's questions either. */
const command = 'DEBIAN_FRONTEND=noninteractive bash "${FORGE_SOLUTION:-/solution}/solve.sh"';

/**
 * The agent that knows the answer: one bash call that runs the task's own solution, then done. Its trial shows that task and verifier work.
 * @param o.timeoutMs the agent's whole time limit, which the one call gets.
 */
export const createOracleModel = (o: { timeoutMs: number }): Model => createCommandModel({ name: "oracle", command, ...o });
