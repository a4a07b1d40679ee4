import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { EndState } from "./end-states.ts";
import { wholeSolution } from "./end-states.ts";

/** What of a copy is not as the task's author wrote it, for both runners alike. */
export interface Staging {
  /** The Dockerfile both get. */
  readonly dockerfile: string;
  /** A task that asks for no network gets one: Harbor cuts it off by images from registries, which may be out of reach. */
  readonly withNetwork: boolean;
}

/**
 * A copy of a task whose solution brings about one end state. Made anew each time.
 * Answers the copy's folder, which keeps the task's name, so that the runners take its image for the same.
 */
export async function stageTask(task: string, state: EndState, staging: Staging, into: string): Promise<string> {
  const folder = join(into, basename(task));
  await rm(into, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await cp(task, folder, { recursive: true, verbatimSymlinks: true });
  const file = join(folder, "environment", "Dockerfile");
  if ((await readFile(file, "utf8")) !== staging.dockerfile) await writeFile(file, staging.dockerfile);
  if (staging.withNetwork) await editFile(join(folder, "task.toml"), withNetwork);
  if (state.agent === "nop") return folder;
  const solve = join(folder, "solution", "solve.sh");
  if ((await readFile(solve, "utf8")) === state.script) return folder;
  await rename(solve, join(folder, "solution", wholeSolution));
  await writeFile(solve, state.script);
  await chmod(solve, 0o755);
  return folder;
}

async function editFile(file: string, edit: (text: string) => string): Promise<void> {
  await writeFile(file, edit(await readFile(file, "utf8")));
}

/** The text of a `task.toml` that cuts no network off. */
export function withNetwork(toml: string): string {
  return toml
    .replace(/^(\s*allow_internet\s*=\s*)false/gm, "$1true")
    .replace(/^(\s*network_mode\s*=\s*)(["'])no-network\2/gm, '$1"public"');
}
