import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { ConfigError } from "../../harness/errors.ts";
import { printable } from "../../harness/text/printable.ts";
import type { Task } from "../task.ts";
import { checkLinks } from "./check/check-links.ts";
import { checkTree } from "./check/check-tree.ts";
import { digestFolder } from "./digest-folder.ts";
import { loadHarbor } from "./harbor/load-harbor.ts";
import { isOwn } from "./own-suites.ts";
import type { Variables } from "./read/resolve-env.ts";
import { taskName } from "./check/task-name.ts";
import { loadTerminalBench } from "./terminal-bench/load-terminal-bench.ts";

export interface LoadTaskOptions {
  /** The user's environment, usually `process.env`. Default: nothing is set. */
  readonly variables?: Variables;
  /** Names of those of `variables` that the user lets tasks read, by `${NAME}` in an env table. Default: none. */
  readonly taskEnv?: readonly string[] | undefined;
  /** The task was made by Forge just now (generated): it may run locally like a shipped one. */
  readonly own?: boolean;
  /** False: `solution/plan.yaml` is left unread, as nobody asks the simulated model. Default: it is read. */
  readonly plan?: boolean;
}

/** The files by which a folder is known as a task, in the order in which they count. */
const formats = { "task.toml": "harbor", "task.yaml": "terminal-bench" } as const;

/** The format of the task in a folder; undefined where there is none. */
export function formatOf(folder: string | Buffer): Task["format"] | undefined {
  const within = (file: string): string | Buffer =>
    typeof folder === "string" ? join(folder, file) : Buffer.concat([folder, Buffer.from(sep + file)]);
  for (const [file, format] of Object.entries(formats)) if (existsSync(within(file))) return format;
  return undefined;
}

/**
 * Loads one task, in Harbor's format (`task.toml`) or Terminal-Bench's (`task.yaml`).
 * Throws `ConfigError`: a missing part, a key of the wrong type, what no runner here has, a link out of the folder.
 */
export async function loadTask(folder: string, o: LoadTaskOptions = {}): Promise<Task> {
  try {
    return await load(folder, o);
  } catch (error) {
    // What the task's own files say stands in many of its sentences, paths too.
    if (error instanceof ConfigError) error.message = printable(error.message).replaceAll(/[\n\t]/g, " ");
    throw error;
  }
}

async function load(folder: string, o: LoadTaskOptions): Promise<Task> {
  if (!existsSync(folder)) throw new ConfigError(`${folder}: there is no such folder. Give the folder of a task, the one with task.toml.`);
  const root = await realpath(folder);
  taskName(basename(root), `${dirname(root)}: a folder of it`); // every message from here on names the folder
  const entries = await checkTree(root);
  const format = formatOf(root);
  const task = format === "terminal-bench" ? await loadTerminalBench(root) : await loadHarbor(root, allowed(o), o.plan ?? true);
  checkLinks(task, entries);
  return { ...task, digest: await digestFolder(root, entries), own: o.own ?? isOwn(root) };
}

/** An allowed variable that is not set is there without a value: it is missing, not forbidden. */
const allowed = ({ variables = {}, taskEnv = [] }: LoadTaskOptions): Variables =>
  Object.fromEntries(taskEnv.map((name) => [name, Object.hasOwn(variables, name) ? variables[name] : undefined]));
