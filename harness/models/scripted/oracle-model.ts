import type { Model } from "../../agent/ports.ts";
import { createScriptedModel } from "./scripted-model.ts";

/** Where the task's solution lies; a sandbox without container paths says so by the variable. */
export const oracleCommand = 'bash "${FORGE_SOLUTION:-/solution}/solve.sh"';

/**
 * The agent that knows the answer: one bash call that runs the task's own solution, then done. Its trial shows that task and verifier work.
 * @param o.timeoutMs the agent's whole time limit, which the one call gets.
 */
export function createOracleModel(o: { timeoutMs: number }): Model {
  return createScriptedModel(
    [
      { text: "I run the solution.", calls: [{ name: "bash", args: { command: oracleCommand, timeoutMs: o.timeoutMs } }] },
      { text: "The solution has run." },
    ],
    { name: "oracle" },
  );
}
