import { readFile } from "node:fs/promises";
import { ConfigError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { typedSolution } from "../../../tasks/formats/terminal-bench/typed-solution.ts";
import type { Solution } from "../../../tasks/task.ts";
import { agentName } from "../trial-key.ts";
import type { TrialPlan } from "../trial-plan.ts";
import { rootOption, uploadFile } from "./upload-file.ts";
import { sandboxPlaces } from "./sandbox-places.ts";

/** The agent that runs a task's solution, or a wrong one: it alone gets the solution's folder and variables. */
export const knowsSolution = ({ agent }: Pick<TrialPlan, "agent">): boolean => agent !== "configured" && agent !== "nop";

/** What an agent finds in its sandbox besides the environment: folders for logs, and its solution where it knows one. */
export async function readyForAgent(
  plan: Pick<TrialPlan, "agent" | "mode" | "task">,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<void> {
  await makeLogFolders(plan, sandbox, signal);
  await placeSolution(plan, sandbox);
}

/** Harbor's runner mounts them, writable by all; imported tasks write there without making them. In hardened mode what lies there is worth nothing. */
async function makeLogFolders({ mode }: Pick<TrialPlan, "mode">, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  if (mode !== "official" || sandbox.kind !== "docker") return;
  const folders = "/logs/agent /logs/verifier /logs/artifacts";
  await sandbox.exec(`mkdir -p ${folders} && chmod 777 ${folders}`, { cwd: "/", signal, ...(await rootOption(sandbox, signal)) });
}

/** Only an agent that runs the solution gets it; the tests are nowhere in the sandbox yet. */
async function placeSolution(plan: Pick<TrialPlan, "agent" | "task">, sandbox: Sandbox): Promise<void> {
  const { agent, task } = plan;
  if (!knowsSolution(plan)) return;
  if (!task.solution)
    throw new ConfigError(
      `${task.folder} has no solution/, so agent "${agentName(agent)}" cannot work on it; write solution/solve.sh, or leave the task out with --filter.`,
    );
  const { solution } = await sandboxPlaces(sandbox);
  if (task.format === "harbor") await sandbox.upload(task.solution.folder, solution);
  else await uploadFile(sandbox, "solve.sh", await asScript(task.solution), solution);
}

/** Terminal-Bench 1: the script itself, or one that types what a person would. */
async function asScript({ script, commands = [] }: Solution): Promise<Uint8Array> {
  return script === undefined ? Buffer.from(typedSolution(commands)) : readFile(script);
}
