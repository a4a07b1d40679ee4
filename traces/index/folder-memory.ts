import { readdirSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { codeOf } from "../../harness/errors.ts";
import type { RunOverview } from "../read/run-overview.ts";
import { indexDamage } from "./database.ts";
import { isRunFile } from "../format/trace-files.ts";

/** What is kept of a folder as it was at its time: whether it is a run's, the folders in it, and what was said of a run that was sealed. */
interface Known {
  readonly path: string;
  /** Unix milliseconds, with all their places. */
  readonly mtime: number;
  readonly run: boolean;
  readonly folders: readonly string[];
  readonly overview?: RunOverview;
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
  overviewOf(folder: string): RunOverview | Promise<RunOverview>;
  save(): void;
} {
  const one = database.prepare("select memory from folders where path = ?").pluck();
  const next = database.prepare(`
    select group_concat(memory) as known, max(path) as last, count(*) as found
    from (select path, memory from folders where path > ? and path < ? order by path limit ${page})
  `);
  const keep = database.prepare("insert or replace into folders values (?, ?)");
  const drop = database.prepare("delete from folders where path = ?");
  const memory = new Map<string, Known>();
  const looked = new Map<string, Known>(); // as of the last look; of what has changed just now nothing is remembered
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

  function remember(known: Known): Known {
    if (Date.now() - known.mtime <= tickMs) return known;
    memory.set(known.path, known);
    changes.push(() => keep.run(known.path, JSON.stringify(known)));
    if (changes.length >= batch) save();
    return known;
  }

  /** What lies in a folder now; undefined where it is none. */
  function look(path: string): Known | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return undefined;
    const before = memory.get(path);
    const mtime = stat.mtimeMs;
    if (before?.mtime === mtime) return before;
    const entries = readdirSync(path, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "blobs").map(({ name }) => name);
    return remember({ path, mtime, run: entries.some(({ name }) => isRunFile(name)), folders });
  }

  function recall(folder: string): void {
    const learn = (text: unknown): void => {
      if (typeof text === "string") for (const known of knownIn(text)) memory.set(known.path, known);
    };
    learn(one.get(folder));
    const end = `${inside(folder).slice(0, -1)}0`; // comes after `/`
    for (let after = inside(folder), found = page; found === page;) {
      const row = next.get(after, end) as { known: string | null; last: string | null; found: number }; // the columns asked for
      learn(row.known);
      [after, found] = [row.last ?? end, row.found];
    }
  }

  async function read(folder: string, known: Known | undefined): Promise<RunOverview> {
    const { runOverview } = await import("../read/run-overview.ts"); // most need not be read, and that takes many modules
    const overview = await runOverview(folder);
    const now = known && look(folder); // what was found too soon after a change to be kept is looked for again
    if (now && now.mtime === known.mtime && overview.state === "sealed") remember({ ...now, overview });
    return overview;
  }

  return {
    save,
    runsBelow(folder) {
      recall(folder);
      const runs: string[] = [];
      const isBelow = (path: string): boolean => path === folder || path.startsWith(inside(folder));
      for (const path of looked.keys()) if (isBelow(path)) looked.delete(path);
      const walk = (path: string): void => {
        const found = look(path);
        if (!found) return;
        looked.set(path, found);
        if (found.run) runs.push(path);
        for (const name of found.folders) walk(inside(path) + name);
      };
      walk(folder);
      for (const path of memory.keys())
        if (!looked.has(path) && isBelow(path)) {
          memory.delete(path);
          changes.push(() => drop.run(path));
        }
      save();
      return runs;
    },
    overviewOf(folder) {
      const known = looked.get(folder) ?? look(folder);
      return known?.overview ?? read(folder, known);
    },
  };
}

function knownIn(text: string): Known[] {
  try {
    return JSON.parse(`[${text}]`) as Known[]; // as written above
  } catch {
    throw indexDamage("A folder is not kept as it was written.");
  }
}

/** What all paths in a folder begin with. */
const inside = (folder: string): string => (folder === "/" ? folder : `${folder}/`);
