import { readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { z } from "zod";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import { jobFolder } from "./job-folder.ts";
import { jobLockSchema, type JobLock } from "./job-lock.ts";
import { jobResultSchema, type JobResult } from "./results/job-result.ts";
import { runnerOf, type Runner } from "./runner-lock.ts";

/** What can be said of a job without reading its trials. */
export interface JobOverview {
  readonly job: string;
  /** Given by `--name`. */
  readonly name: string | undefined;
  /** Absolute. */
  readonly folder: string;
  readonly suite: string;
  readonly agent: string;
  readonly sandbox: string;
  readonly forgeVersion: string;
  readonly configurations: readonly string[];
  readonly tasks: number;
  readonly repeats: number;
  readonly trials: number;
  /** Trials with a published result. */
  readonly recorded: number;
  /** `running`: a living process holds it. `interrupted`: its runner ended without a word. The others as in `result.json`; `invalid`: finished with too many trials without a score. */
  readonly status: "running" | "interrupted" | "finished" | "decided" | "invalid" | "stopped" | "cancelled" | "max-cost";
  /** Who holds it now. */
  readonly runner: Runner | undefined;
  /** Unix milliseconds of the journal's last line: a copied file is newer than what it tells, and one out of an archive may have no time. */
  readonly touchedAt: number;
  /** Milliseconds in which forge worked on it, all its runs together; null while one does, and where the journal has no times. */
  readonly workedMs: number | null;
  /** Of the last run of the job that came to its end; its numbers may be older than the status. */
  readonly result: JobResult | undefined;
}

/**
 * @param o.recorded trials with a published result, where the caller knows: counting them looks into each one's folder
 * @throws CannotError for a folder that is no job; DamagedError for a file of it that cannot be read.
 */
export async function jobOverview(path: string, o: { readonly recorded?: number } = {}): Promise<JobOverview> {
  const job = jobFolder(resolve(path));
  const lock = await readAs(job.lock, jobLockSchema);
  if (!lock) throw new CannotError(`${path} is not a job's folder: it has no lock.json. \`forge jobs list\` shows the jobs there are.`);
  const result = await readAs(job.result, jobResultSchema);
  const runner = await runnerOf(job.path);
  const journal = runner ? "" : await readFile(job.journal, "utf8").catch(() => "");
  const written = (await stat(job.journal).catch(() => undefined))?.mtimeMs ?? 0;
  const configurations = Object.keys(lock.configurations);
  const tasks = Object.keys(lock.tasks).length;
  return {
    job: lock.job ?? basename(job.path),
    name: lock.name,
    folder: job.path,
    suite: lock.suite.name,
    agent: lock.agent,
    sandbox: lock.sandbox,
    forgeVersion: lock.forgeVersion,
    configurations,
    tasks,
    repeats: lock.repeats,
    trials: tasks * configurations.length * lock.repeats,
    recorded: o.recorded ?? countResults(job.path),
    status: runner ? "running" : statusOf(journal, lock, result),
    runner,
    touchedAt: lastTime(journal) ?? written,
    workedMs: workedMs(journal),
    // the folder that it was made in may be one of another machine
    result: result && { ...result, folder: job.path },
  };
}

/** A journal that ends without `job.close` was broken off, whatever an older result says. */
function statusOf(text: string, lock: JobLock, result: JobResult | undefined): JobOverview["status"] {
  if (!result || text.lastIndexOf('"t":"job.close"') < text.lastIndexOf('"t":"job.open"')) return "interrupted";
  if (result.status === "decided") return result.invalid ? "invalid" : "decided";
  if (result.status !== "finished") return result.status;
  // the job was made larger since, and that run has not come to its end
  if (result.trials < Object.keys(lock.tasks).length * Object.keys(lock.configurations).length * lock.repeats) return "interrupted";
  return result.invalid ? "invalid" : "finished";
}

/** Of the last line that has one; what a killed runner left behind it has none. */
function lastTime(text: string): number | undefined {
  const [, ts] = /^[\s\S]*"ts":(\d{1,15})\b/.exec(text.slice(-4096)) ?? [];
  return ts === undefined ? undefined : Number(ts);
}

/** Each run from its first line to its last. */
function workedMs(journal: string): number | null {
  const runs = journal.split(/^(?=\{"t":"job\.open")/m).flatMap((run) => {
    const [, first] = /"ts":(\d{1,15})\b/.exec(run) ?? [];
    return first === undefined ? [] : [Math.max(0, (lastTime(run) ?? 0) - Number(first))];
  });
  return runs.length > 0 ? runs.reduce((sum, ms) => sum + ms, 0) : null;
}

function countResults(path: string): number {
  const folders = (at: string): string[] => {
    try {
      return readdirSync(at, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(at, entry.name)] : []));
    } catch {
      return [];
    }
  };
  let count = 0;
  for (const task of folders(join(path, "trials")))
    for (const configuration of folders(task))
      for (const repeat of folders(configuration)) if (readdirSync(repeat).includes("result.json")) count += 1;
  return count;
}

async function readAs<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new DamagedError(`${path} cannot be read: it is not what forge bench writes there. Restore it, or remove the job's folder.`);
  }
}
