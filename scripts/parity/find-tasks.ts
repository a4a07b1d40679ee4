import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import { glob } from "tinyglobby";

export type TaskFormat = "harbor" | "terminal-bench";

/** A task of someone's dataset on this disk. */
export interface FoundTask {
  /** Unique among the tasks found: the folder's name, with its parents where two share it. */
  readonly id: string;
  readonly folder: string;
  readonly format: TaskFormat;
  /** Path of the solution in the folder; of a task of several steps that of its last step. */
  readonly solution: string;
}

interface Format {
  readonly format: TaskFormat;
  readonly file: string;
  /** What a folder must hold beside it, so that both runners can be given the task. */
  readonly needs: readonly string[];
  solutionOf(folder: string): Promise<string>;
}
const formats: readonly Format[] = [
  { format: "harbor", file: "task.toml", needs: ["environment/Dockerfile"], solutionOf: harborSolution },
  {
    format: "terminal-bench",
    file: "task.yaml",
    needs: ["docker-compose.yaml", "run-tests.sh"],
    solutionOf: async () => "solution.sh",
  },
];

async function harborSolution(folder: string): Promise<string> {
  const steps = await stepsIn(join(folder, "task.toml"));
  const last: unknown = Array.isArray(steps) ? steps.at(-1) : undefined;
  const name = typeof last === "object" && last !== null && "name" in last ? String(last.name) : undefined;
  return name === undefined ? "solution/solve.sh" : join("steps", name, "solution", "solve.sh");
}

/** What is no TOML has no steps: both runners will say what is wrong with it. */
async function stepsIn(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, "utf8"))["steps"];
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

/** Every folder in a known format that has a solution to make end states from, below the given folders, sorted by id. */
export async function findTasks(folders: readonly string[]): Promise<FoundTask[]> {
  const found: FoundTask[] = [];
  for (const given of folders) {
    const root = await realpath(resolve(given));
    for (const { format, file, needs, solutionOf } of formats) {
      const files = await glob(`**/${file}`, { cwd: root, absolute: true, dot: false, followSymbolicLinks: false });
      for (const folder of files.map((path) => dirname(path))) {
        const solution = await solutionOf(folder);
        const has = [solution, ...needs].every((need) => existsSync(join(folder, need)));
        if (has) found.push({ id: relative(dirname(root), folder), folder, format, solution });
      }
    }
  }
  const names = found.map(({ folder }) => basename(folder));
  const unique = (name: string): boolean => names.filter((other) => other === name).length === 1;
  return found
    .map((task) => ({ ...task, id: unique(basename(task.folder)) ? basename(task.folder) : task.id.replaceAll("/", ".") }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
