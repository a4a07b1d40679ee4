import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { EventType } from "../../harness/events/schema.ts";
import type { RunHead, RunOverview } from "../read/run-overview.ts";
import { createTurnCounter } from "../read/turn-counter.ts";
import { eventsPerRun, isIndexDamage, openDatabase, removeDatabase } from "./database.ts";
import { createFolderMemory } from "./folder-memory.ts";
import { forgetRuns } from "./forget-runs.ts";
import { ftsQuery, type Query } from "./query.ts";
import type { Hit } from "./scan-run.ts";
import type { createRunReader, IndexedRun } from "./index-events.ts";

/**
 * What traces say, in a database that may be deleted at any time: it makes listing and searching fast, and says nothing that the traces do not. Several
 * processes may use it at once.
 */
export interface RunIndex {
  /** Folders of runs below an absolute path; what was read there before and is gone is forgotten. */
  runsBelow(folder: string): readonly string[];
  overviewOf(folder: string): RunOverview | Promise<RunOverview>;
  headOf(folder: string): RunHead | Promise<RunOverview>;
  /** Reads what a trace has got since it was last read. */
  update(folder: string): Promise<IndexedRun>;
  /** Events of the given runs that fit, the newest first. */
  search(query: Query, o: { folders: ReadonlySet<string>; type?: readonly string[] | undefined }): Iterable<Hit>;
  close(): void;
  /** Closes it and takes its files away. */
  discard(): void;
}

/**
 * Opens the index at `path`, making it where there is none. What it is asked later may still show that the file is damaged (`isIndexDamage`): then `discard`
 * takes it away.
 * @throws NoIndexError where there can be none
 */
export async function openRunIndex(path: string): Promise<RunIndex> {
  const database = await openDatabase(path);
  try {
    return runIndex(path, database);
  } catch (error) {
    database.close();
    if (!isIndexDamage(error)) throw error;
    removeDatabase(path);
    return runIndex(path, await openDatabase(path));
  }
}

function runIndex(path: string, database: Database): RunIndex {
  const file = fileAt(path);
  const discard = (): void => {
    database.close();
    if (file !== undefined && fileAt(path) === file) removeDatabase(path); // another process may have made a new one since
  };
  const memory = createFolderMemory(database);
  const { forgetOthers } = forgetRuns(database);
  let reader: ReturnType<typeof createRunReader> | undefined; // a list needs none, and it takes many modules
  return {
    runsBelow(folder) {
      const runs = memory.runsBelow(folder);
      forgetOthers(folder, runs);
      return runs;
    },
    overviewOf: memory.overviewOf,
    headOf: memory.headOf,
    async update(folder) {
      reader ??= (await import("./index-events.ts")).createRunReader(database);
      return reader.update(folder);
    },
    *search(query, { folders, type }) {
      const found = database.prepare(`
        select r.run, r.folder, e.seq, e.t, e.lane, e.ts, e.offset, e.bytes
        from texts x
        join events e on e.run = x.rowid / ${eventsPerRun} and e.seq = x.rowid % ${eventsPerRun}
        join runs r on r.run = e.run
        where texts match ?
        order by e.ts desc, r.folder, e.seq
      `);
      const turnsOf = createTurns(database);
      for (const row of found.iterate(ftsQuery(query))) {
        const { run, ...hit } = row as Omit<Hit, "turn"> & { run: number }; // the columns asked for
        if (folders.has(hit.folder) && (!type || type.includes(hit.t))) yield { ...hit, turn: turnsOf(run)[hit.seq] ?? 0 };
      }
    },
    close() {
      try {
        if (database.open) memory.save();
      } catch (error) {
        if (!isIndexDamage(error)) throw error;
        discard();
      } finally {
        database.close();
      }
    },
    discard,
  };
}

/** Which file lies there: another one has another number. */
const fileAt = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** The turn of each event of a run, by the same count as everywhere: each run is counted once. */
function createTurns(database: Database): (run: number) => readonly number[] {
  const events = database
    .prepare(
      "select e.t, e.lane, i.phase, i.change from events e left join interventions i on i.run = e.run and i.seq = e.seq where e.run = ? order by e.seq",
    )
    .raw();
  const known = new Map<number, readonly number[]>();
  return (run) => {
    const before = known.get(run);
    if (before) return before;
    const counter = createTurnCounter();
    const turns = (events.all(run) as [t: EventType, lane: string, phase: string | null, change: string | null][]) // the columns asked for
      .map(([t, lane, phase, change]) => {
        counter.see({ t, lane, d: { phase, change } });
        return counter.turn();
      });
    known.set(run, turns);
    return turns;
  };
}
