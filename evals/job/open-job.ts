import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "../../harness/config/canonical-json.ts";
import { CannotError, ConfigError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/events/hash.ts";
import type { JsonObject } from "../../harness/json.ts";
import { writeJson } from "../write-json.ts";
import { jobFolder, type JobFolder } from "./job-folder.ts";
import { jobLockSchema, lockDifferences, lockOmissions, type JobLock } from "./job-lock.ts";

/** A job's id: the start of the hash of what was asked, so that the same command names the same job. */
export function jobId(config: JsonObject): string {
  return sha256(canonicalJson(config)).slice(0, 12);
}

export interface OpenedJob {
  readonly job: JobFolder;
  readonly id: string;
}

/**
 * Begins a job in `path`, or goes on with the one there. A request for more than the job had (repeats, tasks, configurations) makes it larger: what is
 * finished stays, what is missing is to be done. Call with the runner's lock held.
 * @throws CannotError where the same names mean something else now: finished trials and new ones would not measure the same thing; ConfigError for a
 * request that leaves out what the job has.
 */
export async function openJob(path: string, config: JsonObject, lock: JobLock): Promise<OpenedJob> {
  const job = jobFolder(path);
  const before = await readJson(job.config);
  // nothing was measured, as where no image could be built: what was mended since begins afresh
  if (before === undefined || !(await hasMeasured(path))) return write(job, jobId(config), config, lock);
  const parsed = jobLockSchema.safeParse(await readJson(job.lock));
  if (!parsed.success)
    throw new DamagedError(`${job.lock} is missing or not the lock of a job; start the job in another folder with --out.`);
  const old = parsed.data;
  const differences = lockDifferences(old, lock);
  if (differences.length > 0)
    throw new CannotError(
      `${path} cannot be resumed, because its finished trials measured something else: ${differences.join("; ")}. Restore what changed, or give a new job another folder, such as --out ${path}-2.`,
    );
  const omitted = lockOmissions(old, lock);
  if (omitted.length > 0)
    throw new ConfigError(
      `${path} holds more than was asked for: ${listed(omitted)}. Ask for that too, add to the job with \`forge jobs resume ${path}\`, or choose another folder with --out.`,
    );
  const id = old.job ?? jobId(Object(before) as JsonObject); // written by this very function
  return write(job, id, config, lock);
}

/** The lock first: a crash between the two leaves a lock that covers either request's trials. */
async function write(job: JobFolder, id: string, config: JsonObject, lock: JobLock): Promise<OpenedJob> {
  await mkdir(job.path, { recursive: true });
  await writeJson(job.lock, { ...lock, job: id });
  await writeJson(job.config, config);
  return { job, id };
}

const listed = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;

/** An attempt of any trial has a record. Looks no further than the first: a job may have thousands. */
async function hasMeasured(path: string): Promise<boolean> {
  const below = async (folder: string, depth: number): Promise<boolean> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (depth >= 3 && entries.some(({ name }) => name === "result.json" || name === "record.json")) return true;
    if (depth === 4) return false;
    for (const entry of entries) if (entry.isDirectory() && (await below(join(folder, entry.name), depth + 1))) return true;
    return false;
  };
  return below(join(path, "trials"), 0);
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new DamagedError(`${path} is not JSON; restore it, or start the job in another folder with --out.`);
  }
}
