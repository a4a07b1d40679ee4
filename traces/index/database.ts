import { accessSync, constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type SqliteModule from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { codeOf, messageOf } from "../../harness/errors.ts";

/** Raised whenever a table or what is read into it changes: an index of another version is thrown away and rebuilt. */
const version = 8;

/** Full-text documents are numbered by run and event. */
export const eventsPerRun = 2 ** 24;

/** Every row is read from traces; `run` is a number that means nothing outside of this file. */
const tables = `
  create table folders (path text primary key, memory text not null, overview text) without rowid;
  create table runs (
    run integer primary key, folder text not null unique, file text not null, size integer not null, mtime real not null,
    read integer not null, seq integer not null, head text not null, fault text, exit_code integer
  );
  create table events (
    run integer not null, seq integer not null, offset integer not null, bytes integer not null,
    t text not null, lane text not null, n integer not null, ts real not null,
    primary key (run, seq)
  ) without rowid;
  create table model_calls (
    run integer not null, seq integer not null, input integer, output integer, cached integer, cost_usd real, active_ms real, stop text,
    primary key (run, seq)
  ) without rowid;
  create table tool_calls (
    run integer not null, seq integer not null, name text, status text, active_ms real, edited integer not null,
    primary key (run, seq)
  ) without rowid;
  create table interventions (
    run integer not null, seq integer not null, name text, phase text, change text, why text,
    primary key (run, seq)
  ) without rowid;
  create virtual table texts using fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
`;

/** Why there is no index here, in a sentence. */
export class NoIndexError extends Error {
  override readonly name = "NoIndexError";
  /** What stands in the way: the native module, or the disk where the file should lie. */
  readonly lacks: "module" | "place";
  constructor(lacks: "module" | "place", message: string) {
    super(message);
    this.lacks = lacks;
  }
}

/** Whether an error says that the file is no index any more, or no whole one: then nothing that it answers is worth anything. */
export const isIndexDamage = (error: unknown): boolean => /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error) ?? "");

/** What is not what was written there, where SQLite itself notices nothing. */
export const indexDamage = (what: string): Error => Object.assign(new Error(what), { code: "SQLITE_CORRUPT" });

/** Takes away the files of an index: all that it says stands in the traces. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

/**
 * Opens the database, making it where there is none. What is no database of this version is removed: all that it says stands in the traces.
 * @throws NoIndexError where the native module is not installed or does not load, and where the file can be neither read nor written
 */
export async function openDatabase(path: string): Promise<Database> {
  const Sqlite = await nativeModule();
  const open = async (): Promise<Database> => {
    const database = new Sqlite(path, { timeout: 10_000 });
    try {
      await writeAhead(database);
      database.pragma("synchronous = OFF"); // it may be lost at any time
      const made = database.transaction(() => {
        const found = database.pragma("user_version", { simple: true });
        if (found === 0) {
          database.exec(tables);
          database.pragma(`user_version = ${version}`);
        }
        return found === 0 || found === version;
      });
      if (!made.immediate()) throw new Error("another version");
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    mkdirSync(dirname(path), { recursive: true });
    try {
      return await open();
    } catch (error) {
      if (!existsSync(path) || /locked|busy/.test(messageOf(error))) throw error;
      removeDatabase(path);
      return await open();
    }
  } catch (error) {
    throw new NoIndexError(
      "place",
      `${path} cannot be used: ${messageOf(codeOf(error)?.startsWith("SQLITE_CANTOPEN") ? (refusedBy(dirname(path)) ?? error) : error)}.`,
    );
  }
}

/** Makes the file one with a write-ahead log. SQLite waits for other processes everywhere but here: of several that do this first, some are refused at once. */
async function writeAhead(database: Database): Promise<void> {
  for (let left = 200; ; left--) {
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (left === 0 || !codeOf(error)?.startsWith("SQLITE_BUSY")) throw error;
      await wait(50);
    }
  }
}

/** SQLite says only that it cannot open a file; the folder says why. */
function refusedBy(folder: string): unknown {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function nativeModule(): Promise<typeof SqliteModule> {
  try {
    const { default: Sqlite } = await import("better-sqlite3");
    new Sqlite(":memory:").close(); // loads the native part
    return Sqlite;
  } catch (error) {
    const [first = ""] = messageOf(error).split("\n");
    throw new NoIndexError("module", `The optional package better-sqlite3 does not load: ${first}`);
  }
}
