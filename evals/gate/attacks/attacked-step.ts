import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { Task } from "../../../tasks/task.ts";

/**
 * The same task with an attack for one step's solution: whoever solves it does the other steps as they are meant.
 * @param folder for the changed solutions, which must last as long as the task is used
 */
export async function attackedStep(
  task: Task,
  step: number,
  attack: { readonly name: string; readonly command: string },
  folder: string,
): Promise<Task> {
  const digest = sha256(JSON.stringify([task.digest, step, attack]));
  const own = join(folder, `attack-${digest}`);
  const script = join(own, "solve.sh");
  await mkdir(own, { recursive: true });
  await writeFile(script, attack.command);
  const steps = task.steps?.map((one, i) => (i === step ? { ...one, solution: { folder: own, script, env: {} } } : one));
  return { ...task, digest, ...(steps && { steps }) };
}
