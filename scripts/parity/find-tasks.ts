import { realpath } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { glob } from "tinyglobby";
import { exists } from "../../tasks/formats/exists.ts";

export type TaskFormat = "harbor" | "terminal-bench";

/** A task of someone's dataset on this disk. */
export interface FoundTask {
  /** Unique among the tasks found: the folder's name, with its parents where two share it. */
  readonly id: string;
  readonly folder: string;
  readonly format: TaskFormat;
}

/** What a folder must hold to be a task of a format that both runners can be given. */
const formats: readonly { readonly format: TaskFormat; readonly file: string; readonly needs: readonly string[] }[] = [
  { format: "harbor", file: "task.toml", needs: ["solution/solve.sh", "environment/Dockerfile"] },
  { format: "terminal-bench", file: "task.yaml", needs: ["solution.sh", "docker-compose.yaml", "run-tests.sh"] },
];

/** Every folder in a known format that has a solution to make end states from, below the given folders, sorted by id. */
export async function findTasks(folders: readonly string[]): Promise<FoundTask[]> {
  const found: FoundTask[] = [];
  for (const given of folders) {
    const root = await realpath(resolve(given));
    for (const { format, file, needs } of formats) {
      const files = await glob(`**/${file}`, { cwd: root, absolute: true, dot: false, followSymbolicLinks: false });
      for (const folder of files.map((path) => dirname(path))) {
        const has = await Promise.all(needs.map((need) => exists(`${folder}/${need}`)));
        if (has.every(Boolean)) found.push({ id: relative(dirname(root), folder), folder, format });
      }
    }
  }
  const names = found.map(({ folder }) => basename(folder));
  const unique = (name: string): boolean => names.filter((other) => other === name).length === 1;
  return found
    .map((task) => ({ ...task, id: unique(basename(task.folder)) ? basename(task.folder) : task.id.replaceAll("/", ".") }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
