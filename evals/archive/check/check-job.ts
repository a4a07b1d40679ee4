import { plural } from "../../../harness/text/figures.ts";
import { DamagedError, messageOf } from "../../../harness/errors.ts";
import { jobFolder, type JobFolder } from "../../job/job-folder.ts";
import { jobLockSchema, type JobLock } from "../../job/job-lock.ts";
import { createResultReader } from "../../job/results/published-results.ts";
import { maxArms } from "../../compare/pairs.ts";
import { looksOf } from "../../compare/sequential/sequential-difference.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { type Check, isMachineTrouble } from "./findings.ts";
import { checkJournal } from "./check-journal.ts";
import { checkLock } from "./check-lock.ts";
import { checkResult } from "./check-result.ts";
import { checkTrialFiles, createJobFindings, type SeenTrials } from "./check-trial-files.ts";
import { jobTable, type JobTable } from "./job-table.ts";

export interface CheckedJob {
  readonly checks: readonly Check[];
  /** Undefined where the lock or a trial cannot be read. */
  readonly table: JobTable | undefined;
  readonly lock: JobLock | undefined;
  readonly records: readonly TrialRecord[];
  /** SHA-256 of the files that kept deltas are made of. */
  readonly blobs: ReadonlySet<string>;
  /** Folders of the trials that the lock names (where it stops when decided: that have a result), and of attempts with a record, relative to the job's. */
  readonly trials: ReadonlySet<string>;
  readonly attempts: readonly string[];
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Looks at a finished job's folder without trusting anything in it: keys, traces, records against traces, counts. Reads one trial at a time.
 * Throws only the abort reason and what the machine refuses.
 */
export async function checkJob(path: string, o: CheckOptions): Promise<CheckedJob> {
  const job = jobFolder(path);
  const found = createJobFindings(o.signal);
  const nothing = { table: undefined, lock: undefined, records: [], blobs: new Set<string>(), trials: new Set<string>(), attempts: [] };
  let lock: JobLock | undefined;
  try {
    lock = await readJson(job.lock, jobLockSchema, "is not the lock of a job.");
    if (!lock) throw new DamagedError("lock.json is missing.");
  } catch (error) {
    if (isMachineTrouble(error)) throw error;
    return { ...nothing, checks: [{ name: "lock", state: "fails", says: messageOf(error) }] };
  }
  const arms = Object.keys(lock.configurations).length;
  if (arms === 0 || arms > maxArms)
    return {
      ...nothing,
      checks: [{ name: "lock", state: "fails", says: `it names ${plural(arms, "configuration")}; 1 to ${maxArms} can be compared` }],
    };
  const count = Object.keys(lock.tasks).length * Object.keys(lock.configurations).length * lock.repeats;
  if (count > maxTrials) return { ...nothing, checks: [{ name: "lock", state: "fails", says: `it names ${plural(count, "trial")}` }] };
  const places = placesOf(lock);
  const seen: SeenTrials = { records: [], all: [], blobs: new Set(), attempts: [] };
  const results = createResultReader(path);
  for (const [i, place] of places.entries()) {
    o.signal.throwIfAborted();
    o.onProgress?.(i, places.length);
    await checkTrialFiles(job, lock, place, found, seen, results);
  }
  const looks = looksOf({ folder: path, lock, records: seen.records });
  const open = looks?.pairs.find(({ decision, tasks }) => !decision && tasks.length < looks.planned);
  if (open)
    found.trials.fails(`${open.a} and ${open.b}: results are missing after ${plural(open.tasks.length, "task")}, and nothing was decided`);
  const whole = looks ? open === undefined : seen.records.length === places.length;
  const table = whole ? jobTable(lock, seen.records, seen.all) : undefined;
  const checks = [
    ...(await checkLock(job, lock)),
    ...found.trials.checks(
      (n) => `${n} of ${plural(looks ? seen.records.length : places.length, "result")}, each the record of its attempt`,
    ),
    ...found.keys.checks((n) => `${plural(n, "trial key")} rebuilt from the lock`),
    ...found.traces.checks((n) => `${plural(n, "trace")} whole: hash chains, blobs, requests and seals`),
    ...found.records.checks((n) => `records and traces agree in ${plural(n, "trial")}: verdict, tokens, cost, turns`),
    ...found.deltas.checks((n) => `${plural(n, "kept delta")} whole`),
    ...(await checkJournal(job, seen.all, o.signal)),
    ...(await checkResult(job, lock, table, looks)),
  ];
  return {
    checks,
    table,
    lock,
    records: seen.records,
    blobs: seen.blobs,
    trials: new Set((looks ? seen.records : places).map((trial) => job.trial(trial))),
    attempts: seen.attempts,
  };
}

/** A lock that names more was not made by a bench. */
const maxTrials = 1_000_000;

type Place = Parameters<JobFolder["trial"]>[0];

function placesOf(lock: JobLock): Place[] {
  return Object.keys(lock.tasks).flatMap((task) =>
    Object.keys(lock.configurations).flatMap((configuration) =>
      Array.from({ length: lock.repeats }, (_, i) => ({ task, configuration, repeat: i + 1 })),
    ),
  );
}
