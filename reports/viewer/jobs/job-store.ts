import { stat } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import { jobLockSchema, type JobLock } from "../../../evals/job/job-lock.ts";
import { createResultReader } from "../../../evals/job/results/published-results.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { followLines, type FollowedLines } from "../../../harness/files/follow-lines.ts";
import { parseJournalLine } from "../../../evals/bench/watch/journal-line.ts";
import { CannotError, ForgeError } from "../../../harness/errors.ts";

/** A job's trials, read when they are first asked for and kept as fresh as its journal. */
export interface JobStore {
  /** Absolute. */
  readonly folder: string;
  /** As it is now. @throws CannotError for a folder that is no job, DamagedError for one that cannot be read */
  refresh(): Promise<JobLock>;
  /** Results of these trials; undefined for one that has none or is damaged. What has not been read yet is read at once. */
  some(places: readonly TrialPlace[]): Promise<(TrialRecord | undefined)[]>;
  /** All results, once all are read. */
  all(): Promise<readonly TrialRecord[]>;
  /** Begins to read the rest, for `progress` to tell. */
  begin(): void;
  progress(): {
    readonly read: number;
    readonly of: number;
    readonly records: number;
    readonly version: number;
    readonly damaged: string[];
  };
}

/** Files that are read at a time: enough to keep the disk busy, few enough that others get their turn. */
const batch = 64;
/** Lines at the journal's end that may tell of a result that is being written. */
const justNow = 100;
/** Looks at a trial whose attempt has ended. */
const mostTries = 10;
const damaged = "is not the lock of a job; give the folder that forge bench printed.";

export function createJobStore(folder: string): JobStore {
  const job = jobFolder(folder);
  const results = createResultReader(folder);
  const records = new Map<string, TrialRecord>();
  /** Trials that were read, or are being read. */
  const looked = new Map<string, Promise<void>>();
  let read = 0;
  const faults = new Map<string, string>();
  /** Trials whose attempt has ended and whose result may be written any moment. */
  const waiting = new Map<string, { readonly place: TrialPlace; readonly attempt: number; tries: number }>();
  let journal: FollowedLines | undefined;
  let times = "";
  let lock: JobLock | undefined;
  let plan: readonly TrialPlace[] = [];
  let version = 0;
  let reading: Promise<void> | undefined;
  let urgent: Promise<unknown> | undefined;
  let refreshing: Promise<JobLock> | undefined;

  function lookOnce(place: TrialPlace): Promise<void> {
    const key = keyOf(place);
    const known = looked.get(key);
    if (known) return known;
    const first = look(place).then(() => void read++);
    looked.set(key, first);
    return first;
  }

  async function look(place: TrialPlace): Promise<void> {
    const key = keyOf(place);
    try {
      const record = await results.read(job.trial(place));
      faults.delete(key);
      if (!record) return;
      if (record.attempt >= (waiting.get(key)?.attempt ?? 0)) waiting.delete(key);
      if (records.get(key)?.attempt === record.attempt) return;
      records.set(key, record);
      version++;
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      faults.set(key, error.message);
    }
  }

  async function lookAtRest(): Promise<void> {
    const rest = plan.filter((place) => !looked.has(keyOf(place)));
    for (let i = 0; i < rest.length; i += batch) {
      await urgent; // what someone waits for comes first
      await Promise.all(rest.slice(i, i + batch).map(lookOnce));
      await turn();
    }
  }

  /** Whatever ends from now on is told in the journal; of what ended just before, the result may not be written yet. */
  async function follow(): Promise<void> {
    const isFirst = journal === undefined;
    journal ??= followLines(job.journal);
    const lines = await journal.read();
    for (const text of isFirst ? lines.slice(-justNow) : lines) {
      const line = parseJournalLine(text);
      if (line?.t !== "attempt.end") continue;
      const { task, configuration, repeat, attempt } = line;
      const place = { task, configuration, repeat };
      waiting.set(keyOf(place), { place, attempt, tries: 0 });
    }
    if (isFirst) return;
    const due = [...waiting].slice(0, batch * 4);
    await Promise.all(due.map(([, { place }]) => look(place)));
    // an attempt without a score may be the last one, and then there never is a result
    for (const [key, one] of due) if (++one.tries > mostTries) waiting.delete(key);
  }

  async function refresh(): Promise<JobLock> {
    const seen = (await Promise.all([job.lock, job.journal].map(changedAt))).join();
    if (lock && seen === times && waiting.size === 0) return lock;
    const lockChanged = seen.split(",")[0] !== times.split(",")[0];
    const now = lock && !lockChanged ? lock : await readJson(job.lock, jobLockSchema, damaged);
    if (!now) throw new CannotError(`${folder} is not a job's folder: it has no lock.json.`);
    if (lockChanged) {
      plan = planOf(now);
      reading = undefined;
      version++;
    }
    [lock, times] = [now, seen];
    await follow();
    return now;
  }

  const store: JobStore = {
    folder,
    refresh() {
      refreshing ??= refresh().finally(() => (refreshing = undefined));
      return refreshing;
    },
    async some(places) {
      const looking = Promise.all(places.map(lookOnce));
      urgent = looking;
      await looking;
      return places.map((place) => records.get(keyOf(place)));
    },
    async all() {
      await store.refresh();
      store.begin();
      await reading;
      return plan.flatMap((place) => records.get(keyOf(place)) ?? []);
    },
    begin() {
      reading ??= lookAtRest();
      reading.catch(() => undefined); // told to whoever waits for it
    },
    progress: () => ({ read, of: plan.length, records: records.size, version, damaged: [...faults.values()].slice(0, 20) }),
  };
  return store;
}

const keyOf = ({ task, configuration, repeat }: TrialPlace): string => JSON.stringify([task, configuration, repeat]);

/** Every trial that was asked for, in the order of tasks, configurations and repeats. */
function planOf({ tasks, configurations, repeats }: JobLock): TrialPlace[] {
  return Object.keys(tasks).flatMap((task) =>
    Object.keys(configurations).flatMap((configuration) =>
      Array.from({ length: repeats }, (_, i): TrialPlace => ({ task, configuration, repeat: i + 1 })),
    ),
  );
}

const changedAt = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
