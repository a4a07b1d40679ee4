import type { RunOverview } from "../read/run-overview.ts";
import { openDatabase } from "./database.ts";
import { createFolderMemory } from "./find-known.ts";
import { ftsQuery, type Query } from "./query.ts";
import type { Hit } from "./scan-run.ts";
import { createRunReader, eventsPerRun, type IndexedRun } from "./read-into.ts";

/**
 * What traces say, in a database that may be deleted at any time: it makes listing and searching fast, and says nothing that the traces do not. Several
 * processes may use it at once.
 */
export interface RunIndex {
  /** Folders of runs below an absolute path. */
  runsBelow(folder: string): readonly string[];
  overviewOf(folder: string): Promise<RunOverview>;
  /** Reads what a trace has got since it was last read. */
  update(folder: string): Promise<IndexedRun>;
  /** Events of the given runs that fit, the newest first. */
  search(query: Query, o: { folders: ReadonlySet<string>; type?: readonly string[] | undefined }): Iterable<Hit>;
  close(): void;
}

/** Opens the index at `path`, making it where there is none. Throws `NoIndexError` where there can be none. */
export async function openRunIndex(path: string): Promise<RunIndex> {
  const database = await openDatabase(path);
  const memory = createFolderMemory(database);
  const found = database.prepare(`
    select r.folder, e.seq, e.t, e.lane, e.ts, e.offset, e.bytes,
      (select count(*) from events q where q.run = e.run and q.seq <= e.seq and q.t = 'model.request' and q.lane = 'main') as turn
    from texts x
    join events e on e.run = x.rowid / ${eventsPerRun} and e.seq = x.rowid % ${eventsPerRun}
    join runs r on r.run = e.run
    where texts match ?
    order by e.ts desc, r.folder, e.seq
  `);
  return {
    ...memory,
    update: createRunReader(database),
    *search(query, { folders, type }) {
      for (const row of found.iterate(ftsQuery(query))) {
        const hit = row as Hit; // the columns asked for
        if (folders.has(hit.folder) && (!type || type.includes(hit.t))) yield hit;
      }
    },
    close: () => void database.close(),
  };
}
