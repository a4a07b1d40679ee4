import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { EndState } from "./end-states.ts";
import { wholeSolution } from "./end-states.ts";
import type { FoundTask } from "./find-tasks.ts";

/** What of a copy is not as the task's author wrote it, for both runners alike. */
export interface Staging {
  /** The Dockerfiles both get in the place of the task's, by their path in its folder. */
  readonly dockerfiles: ReadonlyMap<string, string>;
  /** A task that asks for no network gets one: Harbor cuts it off by images from registries, which may be out of reach. */
  readonly withNetwork: boolean;
  /** Every time limit is so many times as long: a busy machine must not decide. */
  readonly patience: number;
}

/** Where a format keeps its limits. */
const configs = { harbor: "task.toml", "terminal-bench": "task.yaml" } as const;

/**
 * A copy of a task whose solution brings about one end state. Rebuilt each time.
 * Answers the copy's folder, which keeps the task's name, so that the runners take its image for the same.
 */
export async function stageTask(
  task: Pick<FoundTask, "folder" | "format" | "solution">,
  state: EndState,
  staging: Staging,
  into: string,
): Promise<string> {
  const folder = join(into, basename(task.folder));
  await rm(into, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await cp(task.folder, folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of staging.dockerfiles) {
    const file = join(folder, path);
    if ((await readFile(file, "utf8")) !== text) await writeFile(file, text);
  }
  if (staging.withNetwork && task.format === "harbor") await editFile(join(folder, "task.toml"), withNetwork);
  if (staging.patience !== 1) await editFile(join(folder, configs[task.format]), (text) => withPatience(text, staging.patience));
  if (state.agent === "nop") return folder;
  const solve = join(folder, task.solution);
  if ((await readFile(solve, "utf8")) === state.script) return folder;
  // The runner of Terminal-Bench 1 brings no second file into the container.
  if (task.format === "harbor") await rename(solve, join(dirname(solve), wholeSolution));
  await writeFile(solve, state.script);
  await chmod(solve, 0o755);
  return folder;
}

/** The solution's text, as the task's author wrote it. */
export function readSolution({ folder, solution }: Pick<FoundTask, "folder" | "solution">): Promise<string> {
  return readFile(join(folder, solution), "utf8");
}

async function editFile(file: string, edit: (text: string) => string): Promise<void> {
  await writeFile(file, edit(await readFile(file, "utf8")));
}

/** The text of a `task.toml` or `task.yaml` whose time limits are so many times as long. */
export function withPatience(text: string, times: number): string {
  return text.replace(
    /^(\s*(?:(?:build_)?timeout_sec\s*=|max_(?:agent|test)_timeout_sec:)\s*)(\d+(?:\.\d+)?)/gm,
    (_, key: string, seconds: string) => `${key}${(Number(seconds) * times).toFixed(1)}`,
  );
}

/** The text of a `task.toml` that cuts no network off. */
export function withNetwork(toml: string): string {
  return toml
    .replace(/^(\s*allow_internet\s*=\s*)false/gm, "$1true")
    .replace(/^(\s*network_mode\s*=\s*)(["'])no-network\2/gm, '$1"public"');
}
