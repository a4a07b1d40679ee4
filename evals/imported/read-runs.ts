import { plural } from "../../harness/text/figures.ts";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { tooManyUnscored } from "../job/results/job-result.ts";
import { gatherArms } from "./gather-arms.ts";
import type { ImportedRuns, ReadingNotes, RunReader } from "./imported-runs.ts";
import { isInspectLog } from "./is-inspect-log.ts";
import { isForeignLock } from "./is-foreign-lock.ts";
import type { ImportFormat } from "./imported-trial.ts";
import { harborReader } from "./read-harbor.ts";
import { inspectReader } from "./read-inspect.ts";
import { isLangSmithPlace, langsmithReader } from "./read-langsmith.ts";
import { csvReader, jsonlReader } from "./read-table.ts";
import { terminalBenchReader } from "./read-terminal-bench.ts";

const readers: readonly RunReader[] = [harborReader, terminalBenchReader, inspectReader, csvReader, jsonlReader];

/**
 * Reads the results of another runner, told by what lies in the place unless `format` says what it is.
 * @param o.langsmith where a place of LangSmith is asked; called for one of these alone
 * @throws CannotError where there is nothing, or nothing that is known
 */
export async function readRuns(
  place: string,
  format?: ImportFormat,
  o: { readonly langsmith?: () => { readonly url: string; readonly key: string } } = {},
): Promise<ImportedRuns> {
  if (isLangSmithPlace(place) && o.langsmith) return gathered(place, langsmithReader(o.langsmith()));
  if (format === "langsmith")
    throw new ConfigError(`--format langsmith: a project is named as langsmith:PROJECT, got ${JSON.stringify(place)}.`);
  if (await isMissing(place)) throw new CannotError(`There is no file or folder ${place}; name the one the runner wrote.`);
  const found = format ?? (await formatOf(place));
  if (found === undefined)
    throw new CannotError(
      `${place} holds no known results: it is no job of Forge, no Harbor job, no Terminal-Bench run, no Inspect log and no CSV or JSONL table; name the folder or file the runner wrote, or name its format with --format.${await jobsIn(place)}`,
    );
  const reader = readers.find((one) => one.format === found);
  if (!reader) throw new ConfigError(`--format: there is no format "${found}".`);
  const wantsFile = found === "csv" || found === "jsonl";
  if (wantsFile && (await stat(place)).isDirectory()) throw new ConfigError(`--format ${found}: ${place} is a folder; name the file.`);
  return gathered(place, reader);
}

/** Whoever names a folder of jobs means one of them. */
async function jobsIn(place: string): Promise<string> {
  const below = await readdir(place).catch(() => []); // a file
  const jobs = below.filter((name) => existsSync(join(place, name, "lock.json"))).map((name) => join(place, name));
  return jobs.length === 0 ? "" : ` Jobs in it: ${jobs.slice(0, 3).join(", ")}${jobs.length > 3 ? ", …" : ""}.`;
}

async function gathered(place: string, reader: RunReader): Promise<ImportedRuns> {
  const notes: ReadingNotes = { suite: null, notKnown: [], shortcomings: [], unfinished: [] };
  const gathering = gatherArms(place, reader.runner);
  await reader.read(place, gathering.add, notes);
  const all = gathering.done();
  if (all.trials === 0) throw new CannotError(`${place} has no finished trial of ${reader.runner}; wait for it, or name another folder.`);
  const share = tooManyUnscored(all.unscored, all.trials)
    ? [`${place} is invalid: ${all.unscored} of ${plural(all.trials, "trial")} have no score, more than one and 2 %`]
    : [];
  return {
    ...all,
    place,
    format: reader.format,
    suite: notes.suite,
    notKnown: notes.notKnown,
    shortcomings: [...notes.unfinished, ...notes.shortcomings, ...share],
    incomplete: [...notes.unfinished, ...share],
    unfinished: notes.unfinished,
  };
}

/** What lies there, by what only one runner writes. */
export async function formatOf(place: string): Promise<ImportFormat | undefined> {
  if (/\.(csv)$/i.test(place)) return "csv";
  if (/\.(jsonl|ndjson)$/i.test(place)) return "jsonl";
  if (/\.eval$/i.test(place)) return "inspect";
  const there = await stat(place).catch(() => undefined);
  if (there === undefined) return undefined;
  if (!there.isDirectory()) return /\.json$/i.test(place) ? "inspect" : undefined;
  const found = await below(place, 3);
  const [first, second] = found.keys();
  if (first !== undefined && second !== undefined)
    throw new ConfigError(
      `${place} holds results of two runners: ${first} in ${found.get(first)} and ${second} in ${found.get(second)}; name them separately, or choose with --format.`,
    );
  return first;
}

/** The formats of the folders below, each with the first that has it. What lies inside of one is its own. */
async function below(folder: string, depth: number): Promise<Map<ImportFormat, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  const found = new Map<ImportFormat, string>();
  if (names.has("lock.json") && !(await isForeignLock(folder))) return found; // a job of Forge
  if (names.has("run_metadata.json") || names.has("results.json")) return found.set("terminal-bench", folder);
  if (names.has("result.json") && names.has("config.json")) return found.set("harbor", folder);
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of sorted)
    if (entry.isFile() && (await isInspectLog(join(folder, entry.name)))) {
      found.set("inspect", folder);
      break;
    }
  if (depth === 0) return found;
  for (const entry of sorted)
    if (entry.isDirectory())
      for (const [format, where] of await below(join(folder, entry.name), depth - 1)) if (!found.has(format)) found.set(format, where);
  return found;
}

const isMissing = async (place: string): Promise<boolean> => (await stat(place).catch(() => undefined)) === undefined;
