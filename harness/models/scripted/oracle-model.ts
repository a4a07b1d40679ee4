import type { Model } from "../../contract/ports.ts";
import { createCommandModel } from "./command-model.ts";

/** Where the task's solution lies; a sandbox without container paths says so by the variable. Harbor's own oracle has nobody to answer apt's questions either. */
const command = 'DEBIAN_FRONTEND=noninteractive bash "${FORGE_SOLUTION:-/solution}/solve.sh"';

/**
 * The agent that knows the answer: one bash call that runs the task's own solution, then done. Its trial shows that task and verifier work.
 * @param o.timeoutMs the agent's whole time limit, which the one call gets.
 */
export const createOracleModel = (o: { timeoutMs: number }): Model => createCommandModel({ name: "oracle", command, ...o });
