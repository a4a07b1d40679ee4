import { join } from "node:path";
import type { Clock } from "../../../harness/contract/ports.ts";
import { CannotError } from "../../../harness/errors.ts";
import type { BenchEvent } from "../bench-events.ts";
import type { TrialPlace } from "../../trial/trial-place.ts";
import { jobFolder, type JobFolder } from "../../job/job-folder.ts";
import { jobLockSchema, type JobLock } from "../../job/job-lock.ts";
import { jobResultSchema, type JobResult } from "../../job/results/job-result.ts";
import { isFinal } from "../../job/results/past-trial.ts";
import { runnerEnded } from "../../job/runner-lock.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import { trialRecordSchema, type TrialRecord } from "../../trial/trial-record.ts";
import { followLines } from "../../../harness/files/follow-lines.ts";
import { eventOf, parseJournalLine, type JournalLine } from "./journal-line.ts";
import { followSteps, type FollowedSteps } from "./follow-steps.ts";
import { startOf } from "./start-of.ts";

export interface WatchOptions {
  readonly onEvent: (event: BenchEvent) => void;
  readonly clock: Clock;
  /** Aborted: no longer watched; the job goes on. */
  readonly signal?: AbortSignal;
  /** Between two looks at the files; default 250. */
  readonly everyMs?: number;
}

const damaged = "is not what a job writes there; restore it, or watch another folder.";
type AttemptLine = Extract<JournalLine, { t: "attempt.start" | "attempt.end" }>;

/**
 * Follows a job from outside: reads what its runner writes and tells it as the same events, from the run's begin. Changes nothing in the folder.
 * Answers the job's result when the job ends, at once for one that has ended; undefined where its runner ended without one, as when it was killed.
 * @throws CannotError for a folder without a job, DamagedError for files that cannot be read, and the abort reason.
 */
export async function watchJob(path: string, o: WatchOptions): Promise<JobResult | undefined> {
  const job = jobFolder(path);
  const lock = await readJson(job.lock, jobLockSchema, damaged);
  if (!lock) throw new CannotError(`${path} is not a job's folder: it has no lock.json. Give the folder that forge bench printed.`);
  const journal = followLines(job.journal);
  const read = async (): Promise<JournalLine[]> => (await journal.read()).flatMap((text) => parseJournalLine(text) ?? []);
  const running = new Map<string, FollowedSteps>();
  /** Attempts without a score whose trial may be given up: then its result is theirs. */
  const undecided = new Map<string, AttemptLine>();

  const tell = async (line: JournalLine): Promise<void> => {
    const event = eventOf(line);
    if (event) return o.onEvent(event);
    if (!isAttempt(line)) return;
    const trial = placeOf(line);
    const { ts, attempt } = line;
    const key = JSON.stringify(trial);
    if (line.t === "attempt.start") {
      undecided.delete(key);
      running.set(key, followSteps(join(path, job.attempt(trial, attempt), "trace.jsonl"), trial, attempt));
      return o.onEvent({ type: "trial.start", ts, trial, attempt });
    }
    running.delete(key);
    if (line.class === "infra" || line.class === "cancelled") {
      const error = line.error === undefined ? {} : { error: line.error };
      o.onEvent({ type: "trial.retry", ts, trial, attempt, class: line.class, again: false, ...error });
      if (line.class === "infra") undecided.set(key, line);
      return;
    }
    const record = await readJson(join(path, job.attempt(trial, attempt), "record.json"), trialRecordSchema, damaged);
    if (record) o.onEvent({ type: "trial.end", ts, trial, record });
  };
  const settle = async (): Promise<void> => {
    for (const [key, { attempt, ts, ...line }] of undecided) {
      const record = await readJson(join(path, job.trial(placeOf(line)), "result.json"), trialRecordSchema, damaged);
      if (record?.attempt !== attempt) continue;
      undecided.delete(key);
      o.onEvent({ type: "trial.end", ts, trial: placeOf(line), record });
    }
  };

  const lines = await read();
  const opened = lines.findLastIndex(({ t }) => t === "job.open");
  let fresh = lines.slice(opened + 1);
  const before = await finishedBefore(job, lock, fresh);
  const infra = lines.slice(0, opened + 1).flatMap((line) => (line.t === "attempt.end" && line.class === "infra" ? [placeOf(line)] : []));
  o.onEvent(startOf(lock, { path, opened: lines[opened], before, infra, now: o.clock.now() }));
  for (;;) {
    for (const line of fresh) await tell(line);
    await settle();
    if (fresh.at(-1)?.t === "job.close") {
      const result = await readJson(job.result, jobResultSchema, damaged);
      if (result) o.onEvent({ type: "job.end", ts: result.endedAt, result });
      return result;
    }
    for (const steps of running.values()) for (const event of await steps.read()) o.onEvent(event);
    const ended = await runnerEnded(path);
    fresh = await read();
    if (ended && fresh.length === 0) return undefined;
    await o.clock.sleep(o.everyMs ?? 250, o.signal);
  }
}

const placeOf = ({ task, configuration, repeat }: TrialPlace): TrialPlace => ({ task, configuration, repeat });

/** Final records of trials on which the job's last run did not work. */
async function finishedBefore(job: JobFolder, lock: JobLock, fresh: readonly JournalLine[]): Promise<TrialRecord[]> {
  const ofThisRun = new Set(fresh.flatMap((line) => (isAttempt(line) ? [JSON.stringify(placeOf(line))] : [])));
  const records: TrialRecord[] = [];
  for (const task of Object.keys(lock.tasks))
    for (const configuration of Object.keys(lock.configurations))
      for (let repeat = 1; repeat <= lock.repeats; repeat++) {
        const place = { task, configuration, repeat };
        if (ofThisRun.has(JSON.stringify(place))) continue;
        const record = await readJson(join(job.path, job.trial(place), "result.json"), trialRecordSchema, damaged);
        if (record && isFinal(record)) records.push(record);
      }
  return records;
}

const isAttempt = (line: JournalLine): line is AttemptLine => line.t === "attempt.start" || line.t === "attempt.end";
