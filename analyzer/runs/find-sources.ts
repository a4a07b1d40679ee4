import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { findJob } from "../../evals/job/find-jobs.ts";
import { CannotError } from "../../harness/errors.ts";
import { findRuns } from "../../traces/store/find-runs.ts";
import { runName } from "../../traces/read/run-name.ts";
import { openArchive } from "./open-archive.ts";

/** A run that was found in what a user named; nothing of it has been read. */
export interface FoundRun {
  /** As its user can name it: a path that begins as the source was given, or `archive#path`. */
  readonly name: string;
  readonly folder: string;
  /** Where it is an attempt of a job's trial: the job's folder, and the trial relative to it. */
  readonly trial: { readonly job: string; readonly path: string } | undefined;
  /** The archive that it comes from has other bytes of it than it was made with. */
  readonly changed: boolean;
}

/**
 * The runs of folders, jobs (by folder, or the beginning of a name in ./jobs), archives of jobs and bundles, by name; one that two sources hold once.
 * @throws CannotError for a source that is not there or holds no run, and as opening an archive does
 */
export async function findSources(sources: readonly string[], signal: AbortSignal): Promise<FoundRun[]> {
  const found = new Map<string, FoundRun>();
  for (const source of sources)
    for (const run of await runsIn(source, signal)) if (!found.has(resolve(run.folder))) found.set(resolve(run.folder), run);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function runsIn(source: string, signal: AbortSignal): Promise<FoundRun[]> {
  const [, file = source, inside] = /^(.+\.(?:tgz|tar\.gz))#(.+)$/s.exec(source) ?? [];
  if (isFile(file)) return inArchive(file, inside, signal);
  const folder = existsSync(source) ? source : relative(process.cwd(), await findJob(source)) || ".";
  return (await findRuns(folder)).map((run) => foundRun(run, new Set()));
}

async function inArchive(file: string, inside: string | undefined, signal: AbortSignal): Promise<FoundRun[]> {
  const { folder, changed } = await openArchive(file, signal);
  const place = inside === undefined ? folder : join(folder, inside);
  if (!existsSync(place)) throw new CannotError(`${file} has no ${inside ?? "run"}; forge analyze ${file} looks at all of its runs.`);
  const paths = new Set(changed.map((path) => resolve(folder, path)));
  return (await findRuns(place)).map((run) => foundRun(run, paths));
}

const attempt = /^(.*)[/\\](trials[/\\][^/\\]+[/\\][^/\\]+[/\\]\d+)[/\\]attempt-\d+(?:[/\\]steps[/\\][^/\\]+)?$/s;

function foundRun(folder: string, changed: ReadonlySet<string>): FoundRun {
  const [, job = "", path = ""] = attempt.exec(resolve(folder)) ?? [];
  const trial = path !== "" && existsSync(join(job, "lock.json")) ? { job, path: path.replaceAll("\\", "/") } : undefined;
  const place = trial ? join(job, path) : resolve(folder);
  return { name: runName(folder), folder, trial, changed: [...changed].some((file) => file.startsWith(place)) };
}
