import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import type { RunOverview } from "../read/run-overview.ts";
import { runOverview } from "../read/run-overview.ts";
import { isTraceFile } from "../read/trace-bytes.ts";

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
  const findFolder = database.prepare("select mtime, run, folders from folders where path = ?");
  const keepFolder = database.prepare("insert or replace into folders values (?, ?, ?, ?)");
  const dropFolder = database.prepare("delete from folders where path = ?");
  const findOverview = database.prepare("select overview from overviews where folder = ? and mtime = ?");
  const keepOverview = database.prepare("insert or replace into overviews values (?, ?, ?)");
  const times = new Map<string, number>();
  const changes: (() => void)[] = [];
  const save = database.transaction(() => {
    for (const change of changes.splice(0)) change();
  });

  function listed(path: string): { run: boolean; folders: readonly string[] } | undefined {
    const mtime = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (mtime === undefined) {
      changes.push(() => dropFolder.run(path));
      return undefined;
    }
    times.set(path, mtime);
    const known = findFolder.get(path) as { mtime: number; run: number; folders: string } | undefined; // the columns asked for
    if (known?.mtime === mtime) return { run: known.run === 1, folders: known.folders === "" ? [] : known.folders.split("/") };
    const entries = readdirSync(path, { withFileTypes: true });
    const run = entries.some(({ name }) => isTraceFile(name));
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "blobs").map(({ name }) => name);
    if (Date.now() - mtime > tickMs) changes.push(() => keepFolder.run(path, mtime, run ? 1 : 0, folders.join("/")));
    return { run, folders };
  }

  return {
    runsBelow(folder) {
      const runs: string[] = [];
      const walk = (path: string): void => {
        const found = listed(path);
        if (!found) return;
        if (found.run) runs.push(path);
        for (const name of found.folders) walk(join(path, name));
      };
      walk(folder);
      save.immediate();
      return runs;
    },
    async overviewOf(folder) {
      const mtime = times.get(folder) ?? statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const known = findOverview.get(folder, mtime) as { overview: string } | undefined; // the column asked for
      if (known) return JSON.parse(known.overview) as RunOverview; // as written below
      const overview = await runOverview(folder);
      if (overview.state === "sealed" && Date.now() - mtime > tickMs) keepOverview.run(folder, mtime, JSON.stringify(overview));
      return overview;
    },
  };
}
