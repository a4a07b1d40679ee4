import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError, messageOf } from "../../harness/errors.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import type { Family, Level } from "./family.ts";
import { renderTask, type RenderedTask } from "./render-task.ts";

export interface GenerateRequest {
  readonly families: readonly Family[];
  readonly levels: readonly Level[];
  /** Whole numbers from 0: the same of every family, or each family's own. */
  readonly seeds: readonly number[] | ((family: string) => readonly number[]);
  /** A folder that does not exist or is empty. */
  readonly out: string;
  readonly signal?: AbortSignal;
  readonly onTask?: (name: string, done: number, of: number) => void;
}

/**
 * Writes one task folder for every family, level and seed, as a suite. The folder appears when all of it is written, or not at all.
 * Answers the tasks' names. Throws `ConfigError` for a folder that is in use, and for a family that cannot draw what was asked.
 */
export async function generateTasks({ families, levels, seeds, out, signal, onTask }: GenerateRequest): Promise<string[]> {
  const seedsOf = typeof seeds === "function" ? seeds : (): readonly number[] => seeds;
  const total = families.reduce((sum, { name }) => sum + levels.length * seedsOf(name).length, 0);
  return writeNewFolder(out, async (draft) => {
    const names: string[] = [];
    for (const family of families)
      for (const level of levels)
        for (const seed of seedsOf(family.name)) {
          signal?.throwIfAborted();
          const task = drawn(family, level, seed);
          await writeTask(join(draft, task.name), task);
          names.push(task.name);
          onTask?.(task.name, names.length, total);
        }
    return names;
  });
}

function drawn(family: Family, level: Level, seed: number): RenderedTask {
  try {
    return renderTask(family, level, seed);
  } catch (error) {
    throw new ConfigError(`family ${family.name}, level ${level}, seed ${seed}: it could not be drawn (${messageOf(error)}).`);
  }
}

async function writeTask(folder: string, { files }: RenderedTask): Promise<void> {
  for (const parent of foldersOf(files.map(({ path }) => path))) {
    await mkdir(join(folder, parent), { recursive: true });
    await chmod(join(folder, parent), 0o755); // whatever the umask
  }
  await Promise.all(
    files.map(async ({ path, content, executable }) => {
      await writeFile(join(folder, path), content);
      await chmod(join(folder, path), executable ? 0o755 : 0o644); // as above
    }),
  );
}

/** Every folder above these files, the highest first; the files' own is `.`. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set(["."]);
  for (const path of paths) for (let at = dirname(path); !folders.has(at); at = dirname(at)) folders.add(at);
  return [...folders].toSorted((a, b) => a.length - b.length);
}
