import { join } from "node:path";
import { CannotError } from "../../../harness/errors.ts";
import { jobLockSchema, type JobLock } from "../job-lock.ts";
import { trialsOf } from "./trials-of.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import { regradeResultSchema, type RegradeResult } from "./regrade-result.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";

/** A job as a comparison sees it: what it was resolved to, and the record of each finished trial. */
export interface FinishedJob {
  readonly folder: string;
  readonly lock: JobLock;
  readonly records: readonly TrialRecord[];
  /** Of the results of a regrade. */
  readonly regrade?: RegradeResult;
}

/** Throws `CannotError` for a folder that is no job or has no finished trial, `DamagedError` for a file in it that cannot be read. */
export async function loadJob(folder: string): Promise<FinishedJob> {
  const damaged = "is not the lock of a job; give the folder that forge bench printed.";
  const lock = await readJson(join(folder, "lock.json"), jobLockSchema, damaged);
  if (!lock) throw new CannotError(`${folder} is not a job's folder: it has no lock.json. Give the folder that forge bench printed.`);
  const records = await trialsOf(folder);
  if (records.length === 0) throw new CannotError(`${folder} has no finished trial yet. Run the same command again to resume.`);
  const regrade = await readJson(join(folder, "regrade.json"), regradeResultSchema, "is not what forge bench regrade writes there.");
  return { folder, lock, records, ...(regrade && { regrade }) };
}
