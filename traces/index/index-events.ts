import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { codeOf, DamagedError, ForgeError, messageOf } from "../../harness/errors.ts";
import type { TraceLine } from "../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import { openBlobStore } from "../format/blob-store.ts";
import { decodeData } from "../format/decode.ts";
import { firstHash, tailBytes } from "../format/line.ts";
import { readSeal } from "../format/seal.ts";
import { isRunFolder, isSealed, traceFiles } from "../format/trace-files.ts";
import { readLines, type RawLine } from "../read/read-lines.ts";
import { laterEvent, parseLine } from "../read/read-trace.ts";
import { tornSeal, type TornTail } from "../read/torn-tail.ts";
import { openTraceBytes, type TraceBytes } from "../read/trace-bytes.ts";
import { eventsPerRun } from "./database.ts";
import { eventText } from "./searchable-text.ts";
import { forgetRuns } from "./forget-runs.ts";

/** A row of `runs`: how far a trace has been read. */
interface RunRow {
  readonly run: number;
  readonly file: string;
  readonly size: number;
  readonly mtime: number;
  readonly read: number;
  readonly seq: number;
  readonly head: string;
  readonly fault: string | null;
  /** That the fault stands for: 4 for damage, 3 where it cannot be read. */
  readonly exit_code: number | null;
}

/** What was done for a run. */
export interface IndexedRun {
  readonly state: "unchanged" | "read" | "gone";
  /** Those that are new. */
  readonly events: number;
  readonly fault: Fault | null;
  /** What was left out behind the last whole event. */
  readonly torn: TornTail | null;
}

/** Why a trace could not be read to its end, and the exit code that stands for it. */
export interface Fault {
  readonly text: string;
  readonly exitCode: number;
}

/** Events between two commits: other writers wait for no longer. */
const batch = 5_000;

/** Reads runs' traces into the tables: of one that has grown only what is new. */
export function createRunReader(database: Database): {
  update(folder: string): Promise<IndexedRun>;
} {
  const write = prepareWrites(database);
  return { update };

  async function update(folder: string): Promise<IndexedRun> {
    const file = fileOf(folder);
    const row = write.find.get(folder) as RunRow | undefined; // columns of `runs`
    if (!file) {
      if (row) write.forget(row.run);
      return { state: "gone", events: 0, fault: whyGone(folder), torn: null };
    }
    // a torn line is none any more in a trace that was sealed since
    if (row && row.file === file.path && row.size === file.size && row.mtime === file.mtime && !(tornIn(row) && isSealed(folder)))
      return { state: "unchanged", events: 0, fault: faultOf(row), torn: tornIn(row) };
    return readRun(folder, file, row);
  }

  async function readRun(folder: string, file: TraceFile, before: RunRow | undefined): Promise<IndexedRun> {
    let at = before;
    let events = 0;
    let fault: Fault | null = null;
    let rows: EventRows[] = [];
    const blobs = openBlobStore(join(folder, "blobs"));
    const flush = (): void => {
      at = write.batch(folder, file, at, rows, fault);
      events += rows.length;
      rows = [];
    };
    try {
      const seal = readSeal(folder); // before the trace, which may be sealed just now
      const source = openTraceBytes(folder);
      if (at && !(await goesOn(source, at))) {
        write.forget(at.run);
        at = undefined;
      }
      let [head, seq] = [at?.head ?? firstHash, at?.seq ?? 0];
      const from = at?.read ?? 0;
      const take = (line: RawLine): void => {
        const offset = from + line.offset;
        if (line.torn > 0 && seal) throw tornSeal(source.path, { offset, bytes: line.torn });
        if (line.torn > 0) return;
        const bad = (): DamagedError =>
          new DamagedError(`${source.path} is damaged at byte ${offset} (event ${seq}); forge traces verify shows more.`);
        const { event, text, hash } = parseLine(line.bytes, {
          head,
          bad,
          later: (version) => laterEvent(version, { path: source.path, offset, seq }),
        });
        if (hash === undefined || event.seq !== seq || event.prev !== head) throw bad();
        if (seq >= eventsPerRun)
          throw new ForgeError(`${source.path} has more than ${eventsPerRun} events, and the others are not searched.`);
        const place = `${folder}: event ${seq} (byte ${offset})`;
        const d = text.includes('"$') ? decodeData(event.d, (hash) => blobs.get(hash), place) : event.d;
        rows.push({ event, offset, bytes: line.bytes.length + 1, d, text: eventText(event, d) });
        head = event.h;
        seq++;
        if (rows.length >= batch) flush();
      };
      for await (const lines of readLines({ path: source.path, chunks: () => chunksFrom(source, from) })) lines.forEach(take);
    } catch (error) {
      fault = faultIn(error);
    }
    flush();
    return { state: "read", events, fault, torn: at ? tornIn(at) : null };
  }
}

const faultOf = ({ fault, exit_code }: RunRow): Fault | null => (fault === null ? null : { text: fault, exitCode: exit_code ?? 4 });

/** Of a plain trace that could be read: what is left of it is no whole line. A compressed one is sealed. */
const tornIn = ({ file, size, read, fault }: RunRow): TornTail | null =>
  fault === null && !file.endsWith(".gz") && size > read ? { offset: read, bytes: size - read } : null;

/** What is wrong with a folder where no file of a trace is; null where there was none, or it was taken away with its seal. */
function whyGone(folder: string): Fault | null {
  if (!isRunFolder(folder)) return null;
  try {
    openTraceBytes(folder);
    return null; // there again since
  } catch (error) {
    return faultIn(error);
  }
}

/** Throws on what is no trouble of the trace, but of the index or of Forge. */
function faultIn(error: unknown): Fault {
  const code = codeOf(error);
  if (!(error instanceof ForgeError) && (code === undefined || code.startsWith("SQLITE_"))) throw error;
  return { text: messageOf(error), exitCode: error instanceof ForgeError ? error.exitCode : 3 };
}

interface TraceFile {
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

function fileOf(folder: string): TraceFile | undefined {
  for (const name of traceFiles) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) return { path, size: stat.size, mtime: stat.mtimeMs };
  }
  return undefined;
}

/** Whether what was read before stands there still: the hash of its last line covers all before it. */
async function goesOn(source: TraceBytes, { read, head }: RunRow): Promise<boolean> {
  if (read === 0) return true;
  if (source.bytes < read) return false;
  const end = tailBytes + 1; // and the newline
  return Buffer.from(await source.range(read - end, end)).toString("latin1") === `,"h":"${head}"}\n`;
}

/** Compressed bytes can only be read from their beginning. */
async function* chunksFrom(source: TraceBytes, from: number): AsyncGenerator<Uint8Array> {
  if (source.compressed) {
    let at = 0;
    for await (const chunk of source.chunks()) {
      if (at + chunk.length > from) yield chunk.subarray(Math.max(0, from - at));
      at += chunk.length;
    }
    return;
  }
  if (from === 0) {
    yield* source.chunks();
    return;
  }
  const piece = 256 * 1024;
  for (let at = from; at < source.bytes; at += piece) yield source.range(at, Math.min(piece, source.bytes - at));
}

interface EventRows {
  readonly event: TraceLine;
  readonly offset: number;
  readonly bytes: number;
  readonly d: JsonObject;
  readonly text: string;
}

function prepareWrites(database: Database) {
  const find = database.prepare("select * from runs where folder = ?");
  const insertRun = database.prepare(
    "insert into runs (folder, file, size, mtime, read, seq, head, fault, exit_code) values (?, ?, ?, ?, 0, 0, ?, null, null)",
  );
  const updateRun = database.prepare(
    "update runs set file = ?, size = ?, mtime = ?, read = ?, seq = ?, head = ?, fault = ?, exit_code = ? where run = ?",
  );
  const insertEvent = database.prepare("insert into events values (?, ?, ?, ?, ?, ?, ?, ?)");
  const insertModel = database.prepare("insert into model_calls values (?, ?, ?, ?, ?, ?, ?, ?)");
  const insertTool = database.prepare("insert into tool_calls values (?, ?, ?, ?, ?, ?)");
  const insertMiddleware = database.prepare("insert into interventions values (?, ?, ?, ?, ?, ?)");
  const insertText = database.prepare("insert into texts (rowid, text) values (?, ?)");
  const { forget } = forgetRuns(database);

  function insert(run: number, { event, offset, bytes, d, text }: EventRows): void {
    const { seq, t, lane, n, ts } = event;
    insertEvent.run(run, seq, offset, bytes, t, lane, n, ts);
    if (text !== "") insertText.run(run * eventsPerRun + seq, text);
    if (t === "model.response") {
      const { input, output, cached } = objectIn(d["usage"]);
      insertModel.run(
        run,
        seq,
        number(input),
        number(output),
        number(cached),
        number(d["costUsd"]),
        number(d["activeMs"]),
        words(d["stop"]),
      );
    } else if (t === "tool.result") {
      const { status, effects } = objectIn(d["reply"]);
      const { edited } = objectIn(effects);
      insertTool.run(run, seq, words(d["name"]), words(status), number(d["activeMs"]), Array.isArray(edited) ? edited.length : 0);
    } else if (t === "middleware") insertMiddleware.run(run, seq, words(d["name"]), words(d["phase"]), words(d["change"]), words(d["why"]));
  }

  /** Writes what was read since `at`, unless another process has gone on from there meanwhile: then nothing, and its row counts. */
  const append = database.transaction(
    (folder: string, file: TraceFile, at: RunRow | undefined, rows: readonly EventRows[], fault: Fault | null): RunRow | undefined => {
      const now = find.get(folder) as RunRow | undefined; // columns of `runs`
      if ((rows[0]?.event.seq ?? at?.seq ?? 0) !== (now?.seq ?? 0)) return now ?? at;
      const run = now?.run ?? Number(insertRun.run(folder, file.path, file.size, file.mtime, firstHash).lastInsertRowid);
      for (const row of rows) insert(run, row);
      const last = rows.at(-1);
      const read = last ? last.offset + last.bytes : (now?.read ?? 0);
      const [seq, head] = [last ? last.event.seq + 1 : (now?.seq ?? 0), last?.event.h ?? now?.head ?? firstHash];
      const told = { fault: fault?.text ?? null, exit_code: fault?.exitCode ?? null };
      updateRun.run(file.path, file.size, file.mtime, read, seq, head, told.fault, told.exit_code, run);
      return { run, file: file.path, size: file.size, mtime: file.mtime, read, seq, head, ...told };
    },
  );
  return { find, forget, batch: append.immediate };
}

const objectIn = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
const number = (value: Json | undefined): number | null => (typeof value === "number" ? value : null);
const words = (value: Json | undefined): string | null => (typeof value === "string" ? value.slice(0, 1000) : null);
