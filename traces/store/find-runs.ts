import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { isRunFile, isRunFolder } from "../format/trace-files.ts";
import { openBundle } from "./open-bundle.ts";
import { isRunWord, runsNamed } from "./run-words.ts";

/** A run, and where it lies in what was named. */
export interface PlacedRun {
  readonly run: string;
  /** What was named: a folder, a bundle, or one run of it. */
  readonly folder: string;
  /** Relative to that; empty for the folder itself. */
  readonly inside: string;
}

/** The runs of several folders and bundles, in their order; one that lies below two of them once. Throws as `findRuns`. */
export async function placedRuns(folders: readonly string[]): Promise<PlacedRun[]> {
  const found = new Map<string, PlacedRun>();
  for (const folder of folders) {
    const root = isBundle(folder) ? await openPlace(folder) : folder;
    for (const run of await findRuns(root))
      if (!found.has(resolve(run))) found.set(resolve(run), { run, folder, inside: relative(resolve(root), resolve(run)) });
  }
  return [...found.values()];
}

/** As `placedRuns`, the runs alone; throws `ConfigError` for a bundle where runs are to be changed. */
export async function findAllRuns(folders: readonly string[], o: { readonly toChange?: boolean } = {}): Promise<string[]> {
  const bundle = o.toChange ? folders.find(isBundle) : undefined;
  if (bundle !== undefined)
    throw new ConfigError(`${fileOf(bundle)} is a file, and a bundle stays as it is; unpack it with tar -xzf and name the folder.`);
  return (await placedRuns(folders)).map(({ run }) => run);
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The file of a place: itself, or the bundle in `bundle.tgz#run`. */
function fileOf(place: string): string | undefined {
  if (isFile(place)) return place;
  const [, file] = /^(.+\.(?:tgz|tar\.gz))#.+$/s.exec(place) ?? [];
  return file !== undefined && !existsSync(place) && isFile(file) ? file : undefined;
}

/** Whether a place is a file: where a folder is expected, a bundle; or one of its runs, named as `bundle.tgz#run`. */
export const isBundle = (place: string): boolean => fileOf(place) !== undefined;

/** The folder of a bundle's runs, or of the one that is named. Throws `CannotError` where there is none of that name. */
async function openPlace(place: string): Promise<string> {
  const file = fileOf(place) ?? place;
  const folder = await openBundle(file);
  const inside = place.slice(file.length + 1);
  if (inside === "") return folder;
  const runs = (await findRuns(folder)).map((run) => relative(folder, run));
  if (!runs.includes(inside) && isRunWord(inside)) {
    const { runOverview } = await import("../read/run-overview.ts");
    const [named, ...others] = runsNamed(await Promise.all(runs.map((run) => runOverview(join(folder, run)))), inside);
    if (named && others.length === 0) return named.folder;
  }
  if (!runs.includes(inside)) throw new CannotError(`${file} has no run ${inside}; forge traces list ${file} lists those that it has.`);
  return join(folder, inside);
}

/** The folders of the runs below `folder`, sorted: itself when it holds a trace, or a seal whose trace is gone; or of a bundle. Throws `CannotError` when there is none. */
export async function findRuns(folder: string): Promise<string[]> {
  if (isRunFolder(folder)) return [folder];
  if (isBundle(folder)) return findRuns(await openPlace(folder));
  if (!existsSync(folder)) throw new CannotError(`There is no folder ${folder}. Give the folder of a run or of a job.`);
  const runs: string[] = [];
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true });
    if (entries.some(({ name }) => isRunFile(name))) runs.push(path);
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== "blobs") await walk(join(path, entry.name));
    }
  };
  await walk(folder);
  if (runs.length === 0) throw new CannotError(`There is no trace.jsonl in ${folder} or below it. Give the folder of a run or of a job.`);
  return runs.toSorted();
}
