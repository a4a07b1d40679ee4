import { readdirSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { codeOf } from "../../harness/errors.ts";
import type { RunHead, RunOverview } from "../read/run-overview.ts";
import { indexDamage } from "./database.ts";
import { isRunFile } from "../format/trace-files.ts";

/** What is kept of a folder as it was at its time. A run's overview is kept beside it and read where it is shown: all of this is read for each list. */
interface Known {
  readonly path: string;
  /** Unix milliseconds, with all their places. */
  readonly mtime: number;
  /** Whether it is a run's. */
  readonly run?: true;
  readonly folders?: readonly string[];
  /** Of a run that was sealed. */
  readonly sealed?: { readonly startedAt: number; readonly start: string };
}

/** A folder that was changed so shortly before it was read may change again without another time: it is read again the next time. */
const tickMs = 2_000;
/** Folders that are taken from the database at once, as one text: by far the fastest way out of it, and no text grows without bound. */
const page = 4_096;
/** Folders that are kept at once. */
const batch = 1_000;

/**
 * The folders of runs below `folder`, in no order, and what their overviews say, by the times of folders: only what has changed since is read. A run that is not
 * sealed is read each time. `folder` is absolute. What is to be kept is by `save` at the latest.
 */
export function createFolderMemory(database: Database): {
  runsBelow(folder: string): string[];
  /** At once where it is known: a promise for each of thousands costs more than looking it up. */
  headOf(folder: string): RunHead | Promise<RunOverview>;
  overviewOf(folder: string): RunOverview | Promise<RunOverview>;
  save(): void;
} {
  const one = database.prepare("select memory from folders where path = ?").pluck();
  const overview = database.prepare("select overview from folders where path = ?").pluck();
  const next = database.prepare(`
    select group_concat(memory) as known, max(path) as last, count(*) as count
    from (select path, memory from folders where path > ? and path < ? order by path limit ${page})
  `);
  const keep = database.prepare("insert or replace into folders values (?, ?, ?)");
  const drop = database.prepare("delete from folders where path = ?");
  const found = new Map<string, Known>(); // as of the last look
  const changes: (() => void)[] = [];
  const write = database.transaction(() => {
    for (const change of changes.splice(0)) change();
  });
  /** What cannot be kept, on a full disk or while others write, is found again the next time: no list fails for it. */
  const save = (): void => {
    try {
      if (changes.length > 0) write.immediate();
    } catch (error) {
      if (!/^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(codeOf(error) ?? "")) throw error;
    }
  };

  /** Whether it will be kept: not what has changed just now. */
  function remember(known: Known, said?: RunOverview): boolean {
    if (Date.now() - known.mtime <= tickMs) return false;
    changes.push(() => keep.run(known.path, JSON.stringify(known), said ? JSON.stringify(said) : null));
    if (changes.length >= batch) save();
    return true;
  }

  /** What lies in a folder now, by what was known of it; undefined where it is none. */
  function look(path: string, before: Known | undefined): Known | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return undefined;
    const mtime = stat.mtimeMs;
    if (before?.mtime === mtime) return before;
    const entries = readdirSync(path, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "blobs").map(({ name }) => name);
    const known: Known = {
      path,
      mtime,
      ...(entries.some(({ name }) => isRunFile(name)) ? { run: true } : {}),
      ...(folders.length > 0 ? { folders } : {}),
    };
    remember(known);
    return known;
  }

  /** What was known of a folder and of those below it. */
  function recall(folder: string): Map<string, Known> {
    const recalled = new Map<string, Known>();
    const learn = (text: unknown): void => {
      if (typeof text === "string") for (const known of parsed<Known[]>(`[${text}]`)) recalled.set(known.path, known);
    };
    learn(one.get(folder));
    const end = `${inside(folder).slice(0, -1)}0`; // comes after `/`
    for (let after = inside(folder), count = page; count === page;) {
      const row = next.get(after, end) as { known: string | null; last: string | null; count: number }; // the columns asked for
      learn(row.known);
      [after, count] = [row.last ?? end, row.count];
    }
    return recalled;
  }

  async function read(folder: string, known: Known | undefined): Promise<RunOverview> {
    const { runOverview } = await import("../read/run-overview.ts"); // most need not be read, and that takes many modules
    const said = await runOverview(folder);
    const now = known && look(folder, known); // what was found too soon after a change to be kept is looked for again
    if (now && now.mtime === known.mtime && said.state === "sealed") {
      const sealed = { ...now, sealed: { startedAt: said.startedAt, start: said.start } };
      if (remember(sealed, said)) found.set(folder, sealed);
    }
    return said;
  }

  const knownOf = (folder: string): Known | undefined => found.get(folder) ?? look(folder, undefined);
  return {
    save,
    runsBelow(folder) {
      save();
      const recalled = recall(folder);
      const runs: string[] = [];
      for (const path of found.keys()) if (path === folder || path.startsWith(inside(folder))) found.delete(path);
      const walk = (path: string): void => {
        const known = look(path, recalled.get(path));
        if (!known) return;
        found.set(path, known);
        if (known.run) runs.push(path);
        if (known.folders) for (const name of known.folders) walk(inside(path) + name);
      };
      walk(folder);
      for (const path of recalled.keys()) if (!found.has(path)) changes.push(() => drop.run(path));
      save();
      return runs;
    },
    headOf(folder) {
      const known = knownOf(folder);
      return known?.sealed ? { folder, state: "sealed", ...known.sealed } : read(folder, known);
    },
    overviewOf(folder) {
      const known = knownOf(folder);
      save();
      const kept = known?.sealed && overview.get(folder);
      return typeof kept === "string" ? parsed<RunOverview>(kept) : read(folder, known);
    },
  };
}

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T; // as written above
  } catch {
    throw indexDamage("A folder is not kept as it was written.");
  }
}

/** What all paths in a folder begin with. */
const inside = (folder: string): string => (folder === "/" ? folder : `${folder}/`);
