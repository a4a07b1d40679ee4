import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { CannotError, codeOf, messageOf } from "../../harness/errors.ts";
import { isIndexDamage, NoIndexError } from "../index/database.ts";
import { openRunIndex, type RunIndex } from "../index/run-index.ts";
import type { RunHead, RunOverview } from "../read/run-overview.ts";
import { findAllRuns, isBundle } from "./find-runs.ts";

/** Where runs lie when nothing is said: jobs of `forge bench`, runs of `forge run`. */
export const usualFolders = ["jobs", ".forge/runs"];
const indexPath = join(".forge", "index.db");
/** So many runs are worth an index. */
const manyRuns = 500;

/** The folders that a user named, or those where runs usually lie. Throws `CannotError` where there is none. */
export function runFolders(folders: readonly string[]): readonly string[] {
  const there = folders.length > 0 ? folders : usualFolders.filter((folder) => existsSync(folder));
  if (there.length === 0)
    throw new CannotError(`There is neither ${usualFolders.join(" nor ")} in this folder; name the folder of a run or of a job.`);
  return there;
}

export interface OpenedIndex {
  readonly index?: RunIndex;
  readonly why?: string;
  readonly lacks?: NoIndexError["lacks"];
}

/** The index of this folder; undefined, with the reason and what lacks, where there can be none, and without one for bundles: their runs lie elsewhere each time. */
async function openIndex(folders: readonly string[]): Promise<OpenedIndex> {
  if (folders.some(isBundle)) return {};
  try {
    return { index: await openRunIndex(resolve(indexPath)) };
  } catch (error) {
    if (error instanceof NoIndexError) return { why: error.message, lacks: error.lacks };
    throw error;
  }
}

/**
 * What `use` answers with the index of this folder, or without one. One that turns out to be damaged is thrown away, and `use` is asked again with a new one;
 * where that does not do either, or the disk takes nothing any more, without one. `use` must say nothing before it is done with the index.
 */
export async function withIndex<T>(folders: readonly string[], use: (opened: OpenedIndex) => Promise<T>): Promise<T> {
  for (let damaged = false; ;) {
    const opened = await openIndex(folders);
    try {
      return await use(opened);
    } catch (error) {
      if (!opened.index || !codeOf(error)?.startsWith("SQLITE_")) throw error;
      const again = isIndexDamage(error) && !damaged;
      if (again) opened.index.discard();
      damaged = true;
      if (!again) return await use({ why: `${resolve(indexPath)} cannot be used: ${messageOf(error)}.`, lacks: "place" });
    } finally {
      opened.index?.close();
    }
  }
}

/** The overviews of all runs below the folders. */
export const overviewsBelow = (folders: readonly string[]): Promise<RunOverview[]> =>
  usingBelow(folders, (runs, { overviewOf }) => readEach(runs, overviewOf));

/** The heads of all runs below the folders. */
export const headsBelow = (folders: readonly string[]): Promise<RunHead[]> =>
  usingBelow(folders, (runs, { headOf }) => readEach(runs, headOf));

/** All runs below the folders, the newest first, and the overviews of the first `limit` of them. */
export const newestBelow = (folders: readonly string[], limit: number): Promise<{ all: RunHead[]; shown: RunOverview[] }> =>
  usingBelow(folders, async (runs, { headOf, overviewOf }) => {
    const all = (await readEach<RunHead>(runs, headOf)).toSorted((a, b) => b.startedAt - a.startedAt);
    const shown: RunOverview[] = [];
    for (const head of all.slice(0, limit)) shown.push(isOverview(head) ? head : await overviewOf(head.folder));
    return { all, shown };
  });

/** One that had to be read for its head. */
const isOverview = (head: RunHead): head is RunOverview => "task" in head;

/** What `use` makes of the runs below the folders: by the index where it is there or where there are many, else by the ends of each trace. */
async function usingBelow<T>(
  folders: readonly string[],
  use: (runs: readonly string[], by: Pick<RunIndex, "headOf" | "overviewOf">) => Promise<T>,
): Promise<T> {
  const given = runFolders(folders);
  let runs: readonly string[] | undefined;
  if (!existsSync(indexPath)) {
    runs = await findAllRuns(given);
    if (runs.length < manyRuns) return use(runs, await unindexed());
  }
  return withIndex(given, async ({ index }) => {
    if (!index) return use(runs ?? (await findAllRuns(given)), await unindexed());
    return use(runs ?? (await runsIn(index, given)), index);
  });
}

/** Loaded when it is needed: with an index a list reads few runs or none. */
async function unindexed(): Promise<Pick<RunIndex, "headOf" | "overviewOf">> {
  const { runOverview } = await import("../read/run-overview.ts");
  return { headOf: runOverview, overviewOf: runOverview };
}

async function readEach<T>(runs: readonly string[], read: (folder: string) => T | Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const run of runs) {
    const one = read(isAbsolute(run) ? run : resolve(run));
    found.push(one instanceof Promise ? await one : one);
  }
  return found;
}

/** As `findAllRuns`, by the index. */
export async function runsIn(index: RunIndex, folders: readonly string[]): Promise<string[]> {
  const runs = new Set<string>();
  for (const folder of folders) {
    const below = index.runsBelow(resolve(folder)).toSorted(); // absolute, as is what it is asked for
    for (const run of below) runs.add(run);
    if (below.length === 0) for (const run of await findAllRuns([folder])) runs.add(resolve(run)); // which says why there is none
  }
  return [...runs];
}
