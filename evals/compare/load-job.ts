import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { glob } from "tinyglobby";
import type { z } from "zod";
import { CannotError, DamagedError, messageOf } from "../../harness/errors.ts";
import { jobLockSchema, type JobLock } from "../job/job-lock.ts";
import { trialRecordSchema, type TrialRecord } from "../trial-record.ts";

/** A job as a comparison sees it: what it was resolved to, and the record of each finished trial. */
export interface FinishedJob {
  readonly folder: string;
  readonly lock: JobLock;
  readonly records: readonly TrialRecord[];
}

/** Throws `CannotError` for a folder that is no job or has no finished trial, `DamagedError` for a file in it that cannot be read. */
export async function loadJob(folder: string): Promise<FinishedJob> {
  const lock = await readJson(
    join(folder, "lock.json"),
    jobLockSchema,
    `${folder} is not a job's folder: it has no lock.json. Give the folder that forge bench printed.`,
  );
  const paths = await glob("trials/*/*/*/result.json", { cwd: folder, dot: true });
  const records = await Promise.all(paths.toSorted().map((path) => readJson(join(folder, path), trialRecordSchema, `${path} is gone.`)));
  if (records.length === 0) throw new CannotError(`${folder} has no finished trial yet. Run the same forge bench again: it goes on.`);
  return { folder, lock, records };
}

async function readJson<T>(path: string, schema: z.ZodType<T>, missing: string): Promise<T> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    throw new CannotError(missing);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new DamagedError(`${path} cannot be read: ${messageOf(error).split("\n")[0]}. Run the trial again after moving the file away.`);
  }
}
