import { resolve } from "node:path";
import pc from "picocolors";
import { ConfigError, ForgeError, InfraError, messageOf } from "../../harness/errors.ts";
import { displayWidth } from "../../reports/text/display-width.ts";
import { plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { folderText, timeText } from "../../reports/terminal/run-list.ts";
import { excerptOf, parseQuery, type Query } from "../../traces/index/query.ts";
import type { Fault } from "../../traces/index/index-events.ts";
import type { RunIndex } from "../../traces/index/run-index.ts";
import { newestFirst, readHit, scanRun, type Hit } from "../../traces/index/scan-run.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { interruptible } from "../shared/interruptible.ts";
import { createProgress } from "../shared/progress.ts";
import { runFolders, runsIn, withIndex, type OpenedIndex } from "../../traces/store/known-runs.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";
import type { TornTail } from "../../traces/read/torn-tail.ts";
import { sayTorn } from "../shared/say-torn.ts";
import type { SearchFlags } from "./options.ts";

/** Events shown where nothing is said. */
const usualLimit = 50;
/** Letters of an event's text in a terminal's line. */
const shownExcerpt = 94;

/** A line an event in which all of the text's words stand, the newest first; answers the exit code: 1 when there is none; 4 where a trace is damaged, 3 where one cannot be read. */
export async function searchRuns(text: string, folders: readonly string[], flags: SearchFlags): Promise<number> {
  const query = parseQuery(text);
  if (!query)
    throw new ConfigError(`"${oneLine(text)}" holds no word to look for; give letters or digits, such as forge traces search "not found".`);
  const given = runFolders(folders);
  const found = await withIndex(given, async ({ index, why }) => {
    if (why !== undefined) process.stderr.write(`${pc.dim(`${why} Every trace is read, which takes longer.`)}\n`);
    return unlessStopped((stop) => (index ? byIndex(index, query, given, flags, stop) : byScan(query, given, flags, stop)));
  });
  return found ? await show(found, query, flags) : 130;
}

/** Reads what runs have got since the index was last used; answers the exit code. */
export async function indexRuns(folders: readonly string[], flags: { json?: boolean }): Promise<number> {
  const given = runFolders(folders);
  const done = await withIndex(given, async (opened) => unlessStopped((stop) => update(required(opened), given, stop)));
  if (!done) return 130;
  const { runs, read, events, damaged, torn } = done;
  for (const { run, tail } of torn) sayTorn(run, tail);
  if (flags.json) process.stdout.write(`${jsonLine({ type: "index", runs: runs.length, read, events, damaged: damaged.length })}\n`);
  else process.stdout.write(`${plural(runs.length, "run")} in the index; ${plural(events, "new event")} of ${plural(read, "run")} read\n`);
  return sayDamaged(damaged);
}

function required({ index, why, lacks }: OpenedIndex): RunIndex {
  if (lacks === "place")
    throw new InfraError(`There is no index: ${why} Make the folder writable, or search without one: it takes longer and finds the same.`);
  if (!index)
    throw new ConfigError(
      why === undefined
        ? "A bundle has no index: unpack it with tar -xzf and name the folder, or search it as it is."
        : `There is no index: ${why} Everything works without one; npm install better-sqlite3 provides it.`,
    );
  return index;
}

/** undefined where the user gave up. */
async function unlessStopped<T>(act: (stop: AbortSignal) => Promise<T>): Promise<T | undefined> {
  return interruptible(async ({ stop }) => {
    try {
      return await act(stop);
    } catch (error) {
      if (stop.aborted) return undefined;
      throw error;
    }
  });
}

interface Updated {
  readonly runs: readonly string[];
  readonly read: number;
  readonly events: number;
  /** Why a trace could not be read to its end. */
  readonly damaged: readonly Fault[];
  readonly torn: readonly Torn[];
}
interface Torn {
  readonly run: string;
  readonly tail: TornTail;
}

async function update(index: RunIndex, folders: readonly string[], stop: AbortSignal): Promise<Updated> {
  const runs = await runsIn(index, folders);
  const damaged: Fault[] = [];
  const torn: Torn[] = [];
  let [read, events] = [0, 0];
  const progress = createProgress((done) => `${done} of ${plural(runs.length, "run")} indexed`);
  for (const run of runs) {
    stop.throwIfAborted();
    progress.step();
    const done = await index.update(run);
    if (done.state === "read") read++;
    events += done.events;
    if (done.torn) torn.push({ run, tail: done.torn });
    if (done.fault !== null) damaged.push(done.fault);
  }
  progress.end();
  return { runs, read, events, damaged, torn };
}

interface Found {
  /** The newest first. */
  readonly hits: readonly Hit[];
  readonly damaged: readonly Fault[];
  /** What is still to be said. */
  readonly torn: readonly Torn[];
}

async function byIndex(index: RunIndex, query: Query, folders: readonly string[], flags: SearchFlags, stop: AbortSignal): Promise<Found> {
  const { runs, damaged, torn } = await update(index, folders, stop);
  return { hits: [...index.search(query, { folders: new Set(runs), type: flags.type })], damaged, torn };
}

async function byScan(query: Query, folders: readonly string[], flags: SearchFlags, stop: AbortSignal): Promise<Found> {
  const hits: Hit[] = [];
  const damaged: Fault[] = [];
  const runs = await findAllRuns(folders);
  const progress = createProgress((done) => `${done} of ${plural(runs.length, "run")} searched`);
  for (const run of runs) {
    stop.throwIfAborted();
    progress.step();
    try {
      for await (const hit of scanRun(resolve(run), query, (torn) => (progress.end(), sayTorn(run, torn))))
        if (!flags.type || flags.type.includes(hit.t)) hits.push(hit);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      damaged.push({ text: messageOf(error), exitCode: error.exitCode });
    }
  }
  progress.end();
  return { hits: hits.toSorted(newestFirst), damaged, torn: [] };
}

async function show({ hits, damaged, torn }: Found, query: Query, flags: SearchFlags): Promise<number> {
  for (const { run, tail } of torn) sayTorn(run, tail);
  const out = (text: string): void => void process.stdout.write(`${text}\n`);
  const shown = hits.slice(0, flags.limit ?? (flags.json ? hits.length : usualLimit));
  for (const hit of shown) {
    const excerpt = excerptOf(query, await readHit(hit), flags.json ? undefined : shownExcerpt);
    const { folder, seq, t, lane, turn, ts } = hit;
    if (flags.json) out(jsonLine({ type: "hit", run: runName(folder), seq, turn, event: t, lane, ts, excerpt }));
    else {
      const place = `${folderText({ folder: runName(folder), pinned: false }, process.cwd())}:${seq}`;
      const about = [timeText(ts), `turn ${turn}`, oneLine(t), ...(lane === "main" ? [] : [oneLine(lane)])].join("  ");
      out(`${pc.bold(place)}${displayWidth(`${place}  ${about}`) > 100 ? "\n" : ""}  ${pc.dim(about)}`);
      out(`  ${oneLine(excerpt)}`);
    }
  }
  const runs = new Set(hits.map(({ folder }) => folder)).size;
  if (flags.json) out(jsonLine({ type: "summary", events: hits.length, runs, shown: shown.length, damaged: damaged.length }));
  else
    out(
      `${plural(hits.length, "event")} in ${plural(runs, "run")}${shown.length < hits.length ? `; the newest ${shown.length} are shown, -n for more` : ""}`,
    );
  return sayDamaged(damaged) || (hits.length > 0 ? 0 : 1);
}

function sayDamaged(damaged: readonly Fault[]): number {
  for (const { text } of damaged) process.stderr.write(`${oneLine(nameRuns(text))}\n`);
  return Math.max(0, ...damaged.map(({ exitCode }) => exitCode));
}
