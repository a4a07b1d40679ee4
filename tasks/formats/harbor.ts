import { createHash } from "node:crypto";
import { readdir, readFile, realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ConfigError } from "../../harness/errors.ts";
import type { Suite, Task } from "../task.ts";
import { digestFolder } from "./digest-folder.ts";
import { exists } from "./exists.ts";
import { isOwn, ownSuites, ownSuitesFolder } from "./own-suites.ts";
import { readPlan } from "./read-plan.ts";
import { refuseUnsupported } from "./refuse-unsupported.ts";
import { resolveEnv, type Variables } from "./resolve-env.ts";
import { environmentOf } from "./task-environment.ts";
import { readTaskToml, type TaskToml } from "./task-toml.ts";

export interface LoadOptions {
  /** Where `${NAME}` in an env table is looked up; usually `process.env`. Default: nothing is set. */
  readonly variables?: Variables;
  /** The task was made by Forge just now (generated): it may run locally like a shipped one. */
  readonly own?: boolean;
  /**
   * Which tasks of a suite are wanted, by name. Of the others only the name is read, so that a task which Forge cannot carry out does not stand
   * in the way of its neighbours.
   */
  readonly wants?: (name: string) => boolean;
}

/**
 * Loads one task in Harbor's format: `task.toml`, `instruction.md`, `environment/`, `tests/test.sh`, `solution/`.
 * Throws `ConfigError`: a missing part, a key of the wrong type, a key whose meaning Forge does not carry out.
 */
export async function loadTask(folder: string, o: LoadOptions = {}): Promise<Task> {
  if (!(await exists(folder)))
    throw new ConfigError(`${folder}: there is no such folder. Give the folder of a task, the one with task.toml.`);
  const root = await realpath(folder);
  const file = join(root, "task.toml");
  const { config, warnings } = readTaskToml(await readPart(root, "task.toml", "Write one; docs/tasks.md has the smallest."), file);
  refuseUnsupported(config, file);
  const instruction = await readPart(root, "instruction.md", "Write what the agent is asked to do into it.");
  if (instruction.trim() === "")
    throw new ConfigError(`${join(root, "instruction.md")}: the instruction is empty. Write what the agent is asked to do.`);
  await readPart(root, "tests/test.sh", "Add the script that writes the reward to /logs/verifier/reward.txt.");
  const variables = o.variables ?? {};
  const env = (name: "environment" | "verifier" | "solution"): Record<string, string> =>
    resolveEnv(config[name].env, variables, `${file}: ${name}.env`);
  const solution = join(root, "solution");
  const solved = await exists(join(solution, "solve.sh"));
  const plan = await readPlan(join(solution, "plan.yaml"));
  const name = config.task.name ?? basename(root);
  return {
    name,
    folder: root,
    digest: await digestFolder(root),
    format: "harbor",
    instruction,
    environment: { ...(await environmentOf(config, root, name)), env: env("environment") },
    agent: { timeoutMs: config.agent.timeout_sec * 1000 },
    verifier: {
      timeoutMs: config.verifier.timeout_sec * 1000,
      env: env("verifier"),
      testsFolder: join(root, "tests"),
      tests: [join(root, "tests")],
      script: "test.sh",
      reads: { type: "reward-files" },
      collect: [],
    },
    ...(solved && { solution: { folder: solution, script: join(solution, "solve.sh"), env: env("solution") } }),
    artifacts: [],
    metadata: metadataOf(config),
    ...(config.metadata.forge && { forge: forgeOf(config.metadata.forge) }),
    ...(plan && { plan }),
    wrong: await wrongSolutions(join(solution, "wrong")),
    own: o.own ?? isOwn(root),
    warnings,
  };
}

/**
 * Loads a suite: a folder of tasks, one task (a suite of one), or a name of ours (`builtin`, `demo`). Tasks come in the order of their
 * folders' names. Throws `ConfigError` when there is no task, or two have one name.
 */
export async function loadSuite(pathOrName: string, o: LoadOptions = {}): Promise<Suite> {
  const named = ownSuites.some((name) => name === pathOrName);
  const folder = named ? join(ownSuitesFolder(), pathOrName) : resolve(pathOrName);
  if (!(await exists(folder))) {
    throw new ConfigError(
      `suite "${pathOrName}": there is no such folder, and the suites of Forge are ${ownSuites.join(" and ")}. Give one of them, or a folder of tasks.`,
    );
  }
  const folders = (await exists(join(folder, "task.toml"))) ? [folder] : await taskFolders(folder);
  if (folders.length === 0) {
    throw new ConfigError(`suite "${pathOrName}": ${folder} holds no task. Give a folder with task.toml, or one whose folders have one.`);
  }
  const tasks: Task[] = [];
  const names: string[] = [];
  for (const one of folders) {
    const name = o.wants && (await nameOf(one));
    if (name !== undefined) names.push(name);
    if (name === undefined || o.wants?.(name)) tasks.push(await loadTask(one, o));
  }
  if (tasks.length === 0) {
    const some = names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
    throw new ConfigError(`suite "${pathOrName}": none of its tasks is wanted. Let --filter fit one of ${some}.`);
  }
  const byName = new Map<string, Task>();
  for (const task of tasks) {
    const twin = byName.get(task.name);
    if (twin)
      throw new ConfigError(
        `suite "${pathOrName}": ${twin.folder} and ${task.folder} are both named "${task.name}". Give one of them another name.`,
      );
    byName.set(task.name, task);
  }
  const hash = createHash("sha256");
  for (const task of tasks) hash.update(`${JSON.stringify([task.name, task.digest])}\n`);
  return { name: named ? pathOrName : basename(folder), digest: hash.digest("hex"), tasks };
}

async function nameOf(folder: string): Promise<string> {
  const file = join(folder, "task.toml");
  return readTaskToml(await readFile(file, "utf8"), file).config.task.name ?? basename(folder);
}

async function taskFolders(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  const found: string[] = [];
  for (const name of names) if (await exists(join(folder, name, "task.toml"))) found.push(join(folder, name));
  return found;
}

function metadataOf(config: TaskToml): Task["metadata"] {
  const { difficulty, family, split, category, tags, forge } = config.metadata;
  const theFamily = forge?.family ?? family ?? category;
  const theSplit = forge?.split ?? split;
  return { tags, ...(difficulty && { difficulty }), ...(theFamily && { family: theFamily }), ...(theSplit && { split: theSplit }) };
}

function forgeOf(forge: NonNullable<TaskToml["metadata"]["forge"]>): NonNullable<Task["forge"]> {
  return { local: forge.local, verify: forge.verify, ...(forge.paths && { paths: forge.paths }) };
}

async function wrongSolutions(folder: string): Promise<Task["wrong"]> {
  if (!(await exists(folder))) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sh")).sort();
  return names.map((name) => ({ name: name.slice(0, -".sh".length), script: join(folder, name) }));
}

async function readPart(root: string, part: string, cure: string): Promise<string> {
  const path = join(root, part);
  if (!(await exists(path))) throw new ConfigError(`${path}: the task has no ${part}. ${cure}`);
  return readFile(path, "utf8");
}
