import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { CannotError, ConfigError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import type { BenchRequest } from "./bench-request.ts";
import type { LeftOut } from "./leave-out.ts";
import { readJson } from "../../harness/files/read-json.ts";
import { writeJson } from "../../harness/files/write-json.ts";
import { jobFolder, type JobFolder } from "../job/job-folder.ts";
import { givenName, jobsBelow } from "../job/find-jobs.ts";
import { jobLockSchema, lockDifferences, lockOmissions, type JobLock } from "../job/job-lock.ts";
import { isFinal } from "../job/results/past-trial.ts";
import { readRecord } from "../job/results/read-record.ts";

/**
 * The id of a new job, and its folder. The id is the start of the hash of what was asked, and of the folder where one was named: the same command names the
 * same job, and jobs in different folders, whose containers are found by it, are different ones.
 */
export function newJob({ out, jobsFolder }: Pick<BenchRequest, "out" | "jobsFolder">, config: JsonObject): { id: string; path: string } {
  const named = out ?? jobsFolder;
  const id = hashId(named === undefined ? config : [config, resolve(named)]);
  return { id, path: resolve(out ?? join(jobsFolder ?? "jobs", id)) };
}

const hashId = (of: Json): string => sha256(canonicalJson(of)).slice(0, 12);

export interface OpenedJob {
  readonly job: JobFolder;
  readonly id: string;
}

/**
 * Begins a job in `path`, or goes on with the one there, which keeps its id. A request for more than the job had (repeats, tasks, configurations) makes it
 * larger: what is finished stays, what is missing is to be done. Call with the runner's lock held.
 * @throws CannotError where the same names mean something else now: finished trials and new ones would not measure the same thing; ConfigError for a
 * request that leaves out what the job has.
 * @param leftOut tasks that were asked for and cannot be run here
 */
export async function openJob(
  { id, path }: { readonly id: string; readonly path: string },
  config: JsonObject,
  lock: JobLock,
  leftOut: readonly LeftOut[] = [],
): Promise<OpenedJob> {
  const job = jobFolder(path);
  if (lock.name !== undefined) await refuseTakenName(job.path, lock.name);
  const before = await readJson(job.config, z.unknown(), "is not JSON; restore it, or start the job in another folder with --out.");
  if (before === undefined) return write(job, id, config, lock);
  const noLock = "is missing or not the lock of a job; start the job in another folder with --out.";
  const old = await readJson(job.lock, jobLockSchema, noLock);
  if (!old) throw new DamagedError(`${job.lock} ${noLock}`);
  const differences = lockDifferences(old, lock);
  const omitted = lockOmissions(old, lock);
  if (differences.length + omitted.length > 0 && !(await hasMeasured(path))) {
    // nothing was measured, as where no image could be built: what was mended since begins afresh
    await setTrialsAside(job);
    return write(job, id, config, lock);
  }
  if (differences.length > 0)
    throw new CannotError(
      `${path} cannot be resumed, because its finished trials measured something else: ${differences.join("; ")}. Restore what changed, or give a new job another folder, such as --out ${path}-2.`,
    );
  const gone = leftOut.find(({ task }) => omitted.includes(`task ${task}`));
  if (gone)
    throw new ConfigError(
      `${path} has trials of task ${gone.task}, which cannot be run here now, and the job cannot continue without it: ${gone.reason}`,
    );
  // A task that cannot be read may go by another name than it had.
  const [broken] = omitted.some((one) => one.startsWith("task ")) ? leftOut : [];
  if (broken)
    throw new ConfigError(
      `${path} holds more than can be run here now: ${listed(omitted)}. Of the request, ${broken.task} was left out: ${broken.reason}`,
    );
  if (omitted.length > 0)
    throw new ConfigError(
      `${path} holds more than was requested: ${listed(omitted)}. Request that too, add to the job with \`forge jobs resume ${path}\`, or choose another folder with --out.`,
    );
  const kept = old.job ?? hashId(Object(before) as JsonObject); // written by this very function, or one that hashed the request alone
  return write(job, kept, config, old.name === undefined ? lock : { name: old.name, ...lock });
}

/** A name names one job of a folder. */
async function refuseTakenName(path: string, name: string): Promise<void> {
  const beside = existsSync(dirname(path)) ? await jobsBelow(dirname(path)) : [];
  for (const other of beside)
    if (other !== path && (basename(other) === name || (await givenName(other)) === name))
      throw new ConfigError(
        `--name: the job in ${other} is called "${name}"; choose another name, or continue it with \`forge jobs resume ${name}\`.`,
      );
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

/** Some attempt came to an outcome that counts, published or not. A record that cannot be understood counts too: it is for others to tell. */
async function hasMeasured(path: string): Promise<boolean> {
  const { glob } = await import("tinyglobby");
  for (const file of await glob("trials/*/*/*/{result.json,attempt-*/record.json}", { cwd: path, dot: true, absolute: true })) {
    const record = await readRecord(file).catch(() => "damaged" as const);
    if (record === "damaged" || (record && isFinal(record))) return true;
  }
  return false;
}

/** What infrastructure errors left of trials that mean something else now. It is kept, and counts no more. */
async function setTrialsAside({ path, unfinished }: JobFolder): Promise<void> {
  if (!existsSync(join(path, "trials"))) return;
  await mkdir(unfinished, { recursive: true });
  await rename(join(path, "trials"), join(unfinished, `trials~${randomUUID().slice(0, 8)}`));
}
