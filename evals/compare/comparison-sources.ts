import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { loadJob, type FinishedJob } from "../job/results/load-job.ts";
import type { ImportedRuns } from "../imported/imported-runs.ts";
import type { ImportFormat } from "../imported/imported-trial.ts";
import { isForeignLock } from "../imported/is-foreign-lock.ts";
import { isLangSmithPlace } from "../imported/read-langsmith.ts";
import { readRuns } from "../imported/read-runs.ts";
import { ConfigError } from "../../harness/errors.ts";
import { findJob } from "../job/find-jobs.ts";
import { langsmithPlace } from "../../traces/export/langsmith/langsmith-place.ts";

const outside = { langsmith: () => langsmithPlace(process.env) };
type Format = "forge" | ImportFormat;

/** Forge's own jobs, and results of other runners. */
export interface Sources {
  readonly jobs: readonly FinishedJob[];
  readonly imported: readonly ImportedRuns[];
}

/** Reads the places that were named. The one that `baseline` names, where it names no configuration, stands first. */
export async function comparisonSources(
  places: readonly string[],
  o: { readonly baseline: string | undefined; readonly format: Format | undefined },
): Promise<{ sources: Sources; baseline?: string; baselineJob?: string }> {
  return withBaseline(await loadSources(places, o.format), o.baseline, o.format);
}

/** A place named twice is read once. */
async function loadSources(places: readonly string[], format: Format | undefined): Promise<Sources> {
  const jobs: FinishedJob[] = [];
  const imported: ImportedRuns[] = [];
  const seen = new Set<string>();
  for (const place of places) {
    if (!(await isImport(place, format))) jobs.push(await loadNamedJob(place));
    else if (!seen.has(resolve(place))) {
      seen.add(resolve(place));
      imported.push(await readRuns(place, importFormat(format), outside));
    }
  }
  return { jobs, imported };
}

/** Forge's jobs are found by their names too, so a place that holds nothing known is left to `loadNamedJob`, which says so; unless it is there. */
async function isImport(place: string, format: Format | undefined): Promise<boolean> {
  if (format !== undefined) return format !== "forge";
  if (isLangSmithPlace(place)) return true;
  if (existsSync(join(place, "lock.json"))) return isForeignLock(place);
  return existsSync(place) || /\.(csv|jsonl|ndjson|eval|json)$/i.test(place) || place.includes("/");
}

const importFormat = (format: Format | undefined): ImportFormat | undefined => (format === "forge" ? undefined : format);

/** A job by its folder or the beginning of its name in ./jobs. */
const loadNamedJob = async (name: string): Promise<FinishedJob> => loadJob(await folderOf(name));

/** A path stays as it was written; a name from `forge jobs list` becomes one. */
async function folderOf(name: string): Promise<string> {
  if (existsSync(name)) return name; // loadJob says what is wrong with it
  const found = await findJob(name);
  return relative(process.cwd(), found) || ".";
}

/** `--baseline` names a configuration of the jobs, or else a job, which then joins them in first place. */
async function withBaseline(
  sources: Sources,
  name: string | undefined,
  format: Format | undefined,
): Promise<{ sources: Sources; baseline?: string; baselineJob?: string }> {
  if (name === undefined) return { sources };
  const { jobs, imported } = sources;
  const isConfiguration =
    jobs.some(({ lock }) => Object.hasOwn(lock.configurations, name)) || imported.some(({ arms }) => arms.some((arm) => arm.name === name));
  if (!isConfiguration && (existsSync(name) || isLangSmithPlace(name)) && (await isImport(name, format))) {
    const known = imported.find((runs) => resolve(runs.place) === resolve(name));
    const runs = known ?? (await readRuns(name, importFormat(format), outside));
    const others = imported.filter((one) => one !== known);
    if (jobs.length + others.length === 0)
      throw new ConfigError(`--baseline: ${name} is the only one; give another one to compare with it.`);
    return { sources: { jobs, imported: [runs, ...others] }, baselineJob: runs.place };
  }
  const folder = isConfiguration ? undefined : await findJob(name).catch(() => undefined);
  if (folder === undefined) return { sources, baseline: name }; // or a name as the table shows it; else the sentence of `baselineOf`
  const known = jobs.find((job) => resolve(job.folder) === folder);
  const job = known ?? (await loadNamedJob(name));
  const others = jobs.filter((one) => one !== known);
  if (others.length + imported.length === 0)
    throw new ConfigError(`--baseline: ${name} is the only job; give another one to compare with it.`);
  return { sources: { jobs: [job, ...others], imported }, baselineJob: job.folder };
}
