import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ConfigError, messageOf } from "../../harness/errors.ts";
import type { RefusedTask, Suite, Task } from "../task.ts";
import { checkData } from "./check-data.ts";
import { exists } from "./exists.ts";
import { nameOf } from "./harbor/load-harbor.ts";
import { taskToml } from "./harbor/task-toml.ts";
import { formatOf, loadTask, type LoadTaskOptions } from "./load-task.ts";
import { ownSuites, ownSuitesFolder } from "./own-suites.ts";
import { readPart } from "./read-part.ts";
import { readToml } from "./read-toml.ts";

export interface LoadOptions extends LoadTaskOptions {
  /** Which tasks of a suite are wanted, by name. Of the others only the name is read. */
  readonly wants?: (name: string) => boolean;
}

/**
 * Loads a suite: a folder of tasks (formats may be mixed), one task (a suite of one), or a name of ours (`builtin`, `demo`). Tasks come in the order
 * of their folders' names. A task that cannot be loaded is `refused` with its reason, and its neighbours are loaded. Throws `ConfigError` when there
 * is no task, none can be loaded, or two have one name.
 */
export async function loadSuite(pathOrName: string, o: LoadOptions = {}): Promise<Suite> {
  const named = ownSuites.some((name) => name === pathOrName);
  const folder = named ? join(ownSuitesFolder(), pathOrName) : resolve(pathOrName);
  if (!(await exists(folder))) {
    throw new ConfigError(
      `suite "${pathOrName}": there is no such folder, and the suites of Forge are ${ownSuites.join(" and ")}. Give one of them, or a folder of tasks.`,
    );
  }
  const folders = (await formatOf(folder)) === undefined ? await taskFolders(folder) : [folder];
  if (folders.length === 0) {
    throw new ConfigError(
      `suite "${pathOrName}": ${folder} holds no task. Give a folder with task.toml or task.yaml, or one whose folders have one.`,
    );
  }
  return suiteOf(named ? pathOrName : basename(folder), folders, o);
}

/** A suite of these task folders. As `loadSuite`. */
export async function suiteOf(name: string, folders: readonly string[], o: LoadOptions = {}): Promise<Suite> {
  const tasks: Task[] = [];
  const refused: RefusedTask[] = [];
  const unwanted: string[] = [];
  for (const folder of folders) {
    const called = await nameIn(folder);
    if (o.wants && !o.wants(called)) {
      unwanted.push(called);
      continue;
    }
    try {
      tasks.push(await loadTask(folder, o));
    } catch (error) {
      if (!(error instanceof ConfigError) && !isFileError(error)) throw error;
      refused.push({ name: called, folder, reason: messageOf(error) });
    }
  }
  const [first] = refused;
  if (tasks.length === 0 && first)
    throw new ConfigError(
      folders.length === 1 ? first.reason : `suite "${name}": none of its tasks can be loaded. The first: ${first.reason}`,
    );
  if (tasks.length === 0) {
    const some = unwanted.slice(0, 20).join(", ") + (unwanted.length > 20 ? ", …" : "");
    throw new ConfigError(`suite "${name}": none of its tasks is wanted. Let --filter fit one of ${some}.`);
  }
  refuseTwins(name, tasks);
  const hash = createHash("sha256");
  for (const task of tasks) hash.update(`${JSON.stringify([task.name, task.digest])}\n`);
  return { name, digest: hash.digest("hex"), tasks, ...(refused.length > 0 && { refused }) };
}

function refuseTwins(name: string, tasks: readonly Task[]): void {
  const byName = new Map<string, Task>();
  for (const task of tasks) {
    const twin = byName.get(task.name);
    if (twin)
      throw new ConfigError(
        `suite "${name}": ${twin.folder} and ${task.folder} are both named "${task.name}". Give one of them another name.`,
      );
    byName.set(task.name, task);
  }
}

/** The name a task goes by, or its folder's where it cannot be read: refusing it is for `loadTask`. */
async function nameIn(folder: string): Promise<string> {
  const file = join(folder, "task.toml");
  try {
    const text = await readPart(folder, "task.toml");
    return text === undefined
      ? basename(folder)
      : nameOf(checkData(readToml(text, file), taskToml.pick({ task: true }).loose()).config, folder);
  } catch (error) {
    if (error instanceof ConfigError) return basename(folder);
    throw error;
  }
}

/** The folder changed under us, or may not be read: the task's fault, not ours. */
const isFileError = (error: unknown): boolean => error instanceof Error && "code" in error && "syscall" in error;

async function taskFolders(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  const found: string[] = [];
  for (const name of names) if ((await formatOf(join(folder, name))) !== undefined) found.push(join(folder, name));
  return found;
}
