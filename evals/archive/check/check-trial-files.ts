import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { TrialPlace } from "../../trial/trial-place.ts";
import type { JobFolder } from "../../job/job-folder.ts";
import type { JobLock } from "../../job/job-lock.ts";
import { isFinal } from "../../job/results/past-trial.ts";
import { readRecord } from "../../job/results/read-record.ts";
import type { ResultReader } from "../../job/results/published-results.ts";
import { toldSteps } from "../../regrade/recorded-steps.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { createFindings, type Findings } from "./findings.ts";
import { verifyAttempt, namesIn } from "./check-attempt.ts";
import { deltaBlobs } from "./check-delta.ts";
import { againstLock, againstSteps, againstTrace, knownAgents } from "./check-trial.ts";
import { traceFacts } from "./trace-facts.ts";

/** What is looked at in every trial. */
export type JobFindings = Readonly<Record<"trials" | "keys" | "traces" | "records" | "deltas", Findings>>;

export function createJobFindings(signal: AbortSignal): JobFindings {
  const of = (name: string): Findings => createFindings(name, signal);
  return { trials: of("trials"), keys: of("keys"), traces: of("traces"), records: of("records"), deltas: of("deltas") };
}

/** What was met on the way. */
export interface SeenTrials {
  /** One a trial. */
  readonly records: TrialRecord[];
  /** Of every attempt. */
  readonly all: TrialRecord[];
  readonly blobs: Set<string>;
  /** Attempts with a record, relative to the job's folder. */
  readonly attempts: string[];
}

/** Looks at one trial of a job: its result, and each of its attempts. */
export async function checkTrialFiles(
  job: JobFolder,
  lock: JobLock,
  place: TrialPlace,
  found: JobFindings,
  seen: SeenTrials,
  results: ResultReader,
): Promise<void> {
  const { trials, keys } = found;
  const folder = job.trial(place);
  const where = `${place.task}, ${place.configuration}, repeat ${place.repeat}`;
  await trials.look(where, async () => {
    const record = await results.read(folder);
    // of a job that stops when decided, what the looks needed is held against them as a whole
    if (!record) return lock.untilDecided ? undefined : trials.fails(`${where}: there is no result`);
    const { task, configuration, repeat, attempt } = record;
    const here = task === place.task && configuration === place.configuration && repeat === place.repeat;
    if (!here || record.trace !== job.attempt(place, attempt))
      return trials.fails(`${where}: its result is of ${task}, ${configuration}, repeat ${repeat}, in ${record.trace}`);
    const own = await readRecord(join(job.path, record.trace, "record.json"));
    if (own && isDeepStrictEqual(own, record)) trials.holds();
    else if (isFinal(record)) return trials.fails(`${where}: its result is not the record of its attempt ${attempt}`);
    else trials.unchecked("a trial without a score whose attempt could not be recorded");
    seen.records.push(record);
    const differs = againstLock(record, lock);
    for (const says of differs) keys.fails(`${where}: ${says}`);
    if (differs.length > 0) return;
    if (knownAgents.has(lock.agent)) keys.holds();
    else keys.unchecked(`the lock does not record the command of agent ${lock.agent}`);
  });
  for (const name of await attemptsIn(join(job.path, folder)))
    await found.traces.look(`${where}, ${name}`, () => checkAttempt(job, join(folder, name), `${where}, ${name}`, found, seen));
}

async function checkAttempt(job: JobFolder, attempt: string, where: string, found: JobFindings, seen: SeenTrials): Promise<void> {
  const { traces, records, deltas } = found;
  const record = await readRecord(join(job.path, attempt, "record.json"));
  if (!record) return; // broken off: it is not part of the job's results
  seen.all.push(record);
  seen.attempts.push(attempt);
  await deltas.look(where, async () => {
    const kept = record.delta?.kept === true;
    for (const blob of await deltaBlobs(job.path, attempt, { kept })) seen.blobs.add(blob);
    if (!kept) return deltas.unchecked(record.delta ? "what the agent changed was not kept" : "of this attempt nothing was to be kept");
    deltas.holds();
  });
  const { runs, sealed } = await verifyAttempt(join(job.path, attempt));
  if (runs.length === 0 && record.outcome === null) return traces.unchecked("an attempt in which no agent began has no trace");
  if (runs.length === 0) return traces.fails(`${where}: its trace is missing`);
  if (!sealed && isFinal(record)) return traces.fails(`${where}: its trace is not sealed`);
  traces.holds();
  await records.look(where, async () => {
    if (!sealed) return records.unchecked("the trace of an attempt without a score is not sealed");
    const told = await toldSteps(job.path, { trace: attempt });
    const differs = [...againstTrace(record, await traceFacts(runs)), ...(told && isFinal(record) ? againstSteps(record, told) : [])];
    for (const says of differs) records.fails(`${where}: ${says}`);
    if (differs.length === 0) records.holds();
  });
}

async function attemptsIn(folder: string): Promise<string[]> {
  const numbers = (await namesIn(folder)).flatMap((name) => /^attempt-([1-9]\d*)$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.toSorted((a, b) => a - b).map((n) => `attempt-${n}`);
}
