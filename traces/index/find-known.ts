import { readdirSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { RunOverview } from "../read/run-overview.ts";
import { runOverview } from "../read/run-overview.ts";
import { isTraceFile } from "../read/trace-bytes.ts";
import { belowFolder } from "./database.ts";

type FolderRow = readonly [path: string, mtime: number, run: number, folders: string];
type OverviewRow = readonly [folder: string, mtime: number, overview: string];

/** A folder that was changed so shortly before it was read may change again without another time: it is read again the next time. */
const tickMs = 2_000;

/**
 * The folders of runs below `folder`, in no order, and what their overviews say, by the times of folders: only what has changed since is read. A run that is not
 * sealed is read each time. `folder` is absolute.
 */
export function createFolderMemory(database: Database): {
  runsBelow(folder: string): string[];
  overviewOf(folder: string): Promise<RunOverview>;
} {
  // all below a folder at once: asked one by one, thousands of them take longer than reading them
  const foldersBelow = database.prepare(`select path, mtime, run, folders from folders where ${belowFolder("path")}`).raw();
  const overviewsBelow = database.prepare(`select folder, mtime, overview from overviews where ${belowFolder("folder")}`).raw();
  const keepFolder = database.prepare("insert or replace into folders values (?, ?, ?, ?)");
  const dropFolder = database.prepare("delete from folders where path = ?");
  const dropOverview = database.prepare("delete from overviews where folder = ?");
  const keepOverview = database.prepare("insert or replace into overviews values (?, ?, ?)");
  const times = new Map<string, number>();
  const folders = new Map<string, FolderRow>();
  const overviews = new Map<string, { readonly mtime: number; readonly overview: RunOverview }>();
  const changes: (() => void)[] = [];
  const save = database.transaction(() => {
    for (const change of changes.splice(0)) change();
  });

  function listed(path: string): { run: boolean; folders: readonly string[] } | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return undefined;
    const mtime = stat.mtimeMs;
    times.set(path, mtime);
    const [, knownTime, knownRun, below] = folders.get(path) ?? [];
    if (knownTime === mtime) return { run: knownRun === 1, folders: below ? below.split("/") : [] };
    const entries = readdirSync(path, { withFileTypes: true });
    const run = entries.some(({ name }) => isTraceFile(name));
    const inside = entries.filter((entry) => entry.isDirectory() && entry.name !== "blobs").map(({ name }) => name);
    if (Date.now() - mtime > tickMs) changes.push(() => keepFolder.run(path, mtime, run ? 1 : 0, inside.join("/")));
    return { run, folders: inside };
  }

  return {
    runsBelow(folder) {
      for (const row of foldersBelow.iterate({ at: folder }) as IterableIterator<FolderRow>) folders.set(row[0], row); // the columns asked for
      for (const [path, mtime, text] of overviewsBelow.iterate({ at: folder }) as IterableIterator<OverviewRow>)
        overviews.set(path, { mtime, overview: JSON.parse(text) as RunOverview }); // as written below
      const runs: string[] = [];
      const there = new Set<string>();
      const walk = (path: string): void => {
        const found = listed(path);
        if (!found) return;
        there.add(path);
        if (found.run) runs.push(path);
        for (const name of found.folders) walk(`${path}/${name}`);
      };
      walk(folder);
      const isRun = new Set(runs);
      const isBelow = (path: string): boolean => path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
      for (const path of folders.keys()) if (isBelow(path) && !there.has(path)) changes.push(() => dropFolder.run(path));
      for (const path of overviews.keys()) if (isBelow(path) && !isRun.has(path)) changes.push(() => dropOverview.run(path));
      save.immediate();
      return runs;
    },
    async overviewOf(folder) {
      const mtime = times.get(folder) ?? statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const known = overviews.get(folder);
      if (known?.mtime === mtime) return known.overview;
      const overview = await runOverview(folder);
      if (overview.state === "sealed" && Date.now() - mtime > tickMs) keepOverview.run(folder, mtime, JSON.stringify(overview));
      return overview;
    },
  };
}
