import { chmod, cp, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { Task } from "../../../tasks/task.ts";
import { preludes, type Condition } from "./condition.ts";
import { disturbanceSource } from "./disturbance-source.ts";

/** Why a task cannot be tried under a condition, or undefined. */
export function cannotDisturb(task: Task, condition: Condition): string | undefined {
  if (condition === "network off")
    return task.environment.network || [task, ...(task.steps ?? [])].some(({ agent, verifier }) => agent.network || verifier.network)
      ? undefined
      : "it has none anyway";
  if (task.format !== "harbor" || task.steps || task.verifier.environment) return "only tasks in Harbor's format of one step are disturbed";
  return undefined;
}

function offline({ agent: { network: _, ...agent }, verifier: { network: __, ...verifier } }: Pick<Task, "agent" | "verifier">) {
  return { agent, verifier };
}

/**
 * The same task, whose solution and verifier find other circumstances. Its image stays the same; its digest does not, so that no trial of it is taken
 * for one of the task.
 * @param folder an empty folder for the changed scripts, which must last as long as the task is used
 */
export async function disturbedTask(task: Task, condition: Condition, folder: string): Promise<Task> {
  const digest = sha256(JSON.stringify([task.digest, condition]));
  if (condition === "network off") {
    const off = { mode: "no-network" } as const;
    const steps = task.steps?.map((step) => ({ ...step, ...offline(step) }));
    const { gateway: _, ...open } = task.environment;
    const environment = { ...open, network: false, networkPolicy: off };
    return { ...task, digest, ...offline(task), environment, ...(steps && { steps }) };
  }
  const tests = join(folder, "tests");
  await mkdir(tests, { recursive: true });
  await cp(join(task.verifier.testsFolder, task.verifier.script), join(tests, task.verifier.script));
  await wrap(tests, task.verifier.script, condition);
  const verifier = { ...task.verifier, tests: [...task.verifier.tests, tests] };
  if (!task.solution) return { ...task, digest, verifier };
  const solution = join(folder, "solution");
  await cp(task.solution.folder, solution, { recursive: true, verbatimSymlinks: true });
  await wrap(solution, "solve.sh", condition);
  return { ...task, digest, verifier, solution: { ...task.solution, folder: solution } };
}

/** The script under its own name sets the circumstances up and becomes the original. */
async function wrap(folder: string, script: string, condition: Exclude<Condition, "network off">): Promise<void> {
  const original = `.forge-gate.${script}`;
  await rename(join(folder, script), join(folder, original));
  await chmod(join(folder, original), 0o755);
  await writeFile(join(folder, ".forge-gate.c"), disturbanceSource);
  const run = script === "solve.sh" ? "exec bash" : "exec";
  await writeFile(join(folder, script), `#!/bin/bash\nhere=$(dirname "$0")\n${preludes[condition]}\n${run} "$here/${original}" "$@"\n`);
  await chmod(join(folder, script), 0o755);
}
