import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CannotError, ConfigError } from "../harness/errors.ts";
import { hasTrace, isTraceFile } from "../traces/read/trace-bytes.ts";
import { openBundle } from "./open-bundle.ts";

/**
 * The runs of several folders, in the order of the folders; one that lies below two of them once. Throws as `findRuns`, and `ConfigError` for a bundle where
 * runs are to be changed.
 */
export async function findAllRuns(folders: readonly string[], o: { readonly toChange?: boolean } = {}): Promise<string[]> {
  const bundle = o.toChange ? folders.find((folder) => statSync(folder, { throwIfNoEntry: false })?.isFile()) : undefined;
  if (bundle !== undefined)
    throw new ConfigError(`${bundle} is a file, and a bundle stays as it is; unpack it with tar -xzf and name the folder.`);
  const runs = new Map<string, string>();
  for (const folder of folders) for (const run of await findRuns(folder)) if (!runs.has(resolve(run))) runs.set(resolve(run), run);
  return [...runs.values()];
}

/** The folders of the runs below `folder`, sorted: itself when it holds a trace; or of a bundle. Throws `CannotError` when there is none. */
export async function findRuns(folder: string): Promise<string[]> {
  if (hasTrace(folder)) return [folder];
  if (!existsSync(folder)) throw new CannotError(`There is no folder ${folder}. Give the folder of a run or of a job.`);
  if (statSync(folder).isFile()) return findRuns(await openBundle(folder));
  const runs: string[] = [];
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true });
    if (entries.some(({ name }) => isTraceFile(name))) runs.push(path);
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== "blobs") await walk(join(path, entry.name));
    }
  };
  await walk(folder);
  if (runs.length === 0) throw new CannotError(`There is no trace.jsonl in ${folder} or below it. Give the folder of a run or of a job.`);
  return runs.toSorted();
}
