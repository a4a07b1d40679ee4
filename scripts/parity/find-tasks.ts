import { realpath } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { glob } from "tinyglobby";
import { exists } from "../../tasks/formats/exists.ts";

/** A task of someone's dataset on this disk. */
export interface FoundTask {
  /** Unique among the tasks found: the folder's name, with its parents where two share it. */
  readonly id: string;
  readonly folder: string;
}

/** Every folder in Harbor's format that has a solution to make end states from, below the given folders, sorted by id. */
export async function findTasks(folders: readonly string[]): Promise<FoundTask[]> {
  const found: FoundTask[] = [];
  for (const given of folders) {
    const root = await realpath(resolve(given));
    const files = await glob("**/task.toml", { cwd: root, absolute: true, dot: false, followSymbolicLinks: false });
    for (const folder of files.map((file) => dirname(file))) {
      if (!(await exists(`${folder}/solution/solve.sh`)) || !(await exists(`${folder}/environment/Dockerfile`))) continue;
      found.push({ id: relative(dirname(root), folder), folder });
    }
  }
  const names = found.map(({ folder }) => basename(folder));
  const unique = (name: string): boolean => names.filter((other) => other === name).length === 1;
  return found
    .map(({ id, folder }) => ({ id: unique(basename(folder)) ? basename(folder) : id.replaceAll("/", "."), folder }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
