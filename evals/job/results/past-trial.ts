import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { DamagedError } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { TrialPlace } from "../../trial/trial-place.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { writeWhole } from "../../../harness/files/write-json.ts";
import { encodeName, type JobFolder } from "../job-folder.ts";
import type { Journal } from "../journal.ts";
import { bytesOf, parseRecord, readRecord } from "./read-record.ts";
import { asPlaced, asRecorded, asTold, recordOf, type ToldResults } from "./published-results.ts";

/** What an earlier run of the job left of a trial. */
export interface PastTrial {
  /** The trial's result, where it has one. */
  readonly record: TrialRecord | undefined;
  /** Number of the last attempt. */
  readonly lastAttempt: number;
  /** Records of all finished attempts, the result's own too. */
  readonly attempts: readonly TrialRecord[];
}

/**
 * A trial that needs nothing but to be counted: its result is published, final, and of the first attempt, so there is no other. Undefined: look closer
 * with `pastTrial`. One file a trial, read without a promise, because a job may have thousands of these.
 */
export function finishedTrial(job: JobFolder, place: TrialPlace, key: string, told: ToldResults): PastTrial | undefined {
  const trial = job.trial(place);
  const path = `${job.path}/${trial}/result.json`; // to tidy a path that is tidy costs as much as to open it
  const text = readNow(path);
  if (text === undefined) return undefined; // none, or one that the closer look will tell about
  const record = parseRecord(path, text);
  if (record.key !== key || record.attempt !== 1 || !isFinal(record)) return undefined;
  if (record.task !== place.task || record.configuration !== place.configuration || record.repeat !== place.repeat) return undefined;
  const known = told.of(trial);
  const hash = known?.get(record.attempt);
  const own = hash === undefined ? readNow(recordOf(job.path, trial, record)) : undefined;
  const isPublished = hash === undefined ? own === text || (own === undefined && known === undefined) : sha256(text) === hash;
  return isPublished ? { record, lastAttempt: 1, attempts: [record] } : undefined;
}

function readNow(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** What the journal told so far, and the line that it gets before a result that a crash kept back is published. */
export interface Published {
  readonly told: ToldResults;
  readonly journal: Pick<Journal, "add">;
  readonly now: () => number;
}

/**
 * Reads what is there. A sealed attempt whose result was not published before a crash is published now, so that it is not paid for again; an
 * attempt without its seal is moved to `unfinished/`.
 */
export async function pastTrial(job: JobFolder, place: TrialPlace, key: string, { told, journal, now }: Published): Promise<PastTrial> {
  const folder = join(job.path, job.trial(place));
  if (!existsSync(folder)) return { record: undefined, attempts: [], lastAttempt: 0 };
  const hashes = told.of(job.trial(place));
  const numbers = (await readdir(folder).catch(() => [])).flatMap((name) => /^attempt-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  const attempts: TrialRecord[] = [];
  for (const n of numbers.toSorted((a, b) => a - b)) {
    const attempt = join(folder, `attempt-${n}`);
    const record = await readRecord(join(attempt, "record.json"));
    if (record) asPlaced(join(attempt, "record.json"), record, job.trial(place));
    if (record && (record.outcome === null || (await exists(join(attempt, "seal.json"))))) attempts.push(record);
    else await setAside(job, place, n, attempt);
  }
  const result = join(folder, "result.json");
  const there = await bytesOf(result);
  let record = there && parseRecord(result, there);
  if (there && record) {
    asPlaced(result, record, job.trial(place));
    const hash = hashes?.get(record.attempt);
    const own = recordOf(job.path, job.trial(place), record);
    if (hash !== undefined) asTold(result, there, hash);
    else asRecorded({ path: result, bytes: there, record }, { path: own, bytes: await bytesOf(own) }, hashes !== undefined);
  }
  if (!record) {
    record = attempts.findLast(isFinal);
    if (record) await publish(record.attempt);
  }
  if (record && record.key !== key)
    throw new DamagedError(
      `${result} has the key ${record.key.slice(0, 12)}, and the job's lock.json makes ${key.slice(0, 12)}; the job's files do not belong together.`,
    );
  return { record, attempts, lastAttempt: Math.max(0, ...numbers) };

  /** Byte for byte what the attempt recorded, and told before it is there, as by the run that a crash ended. */
  async function publish(attempt: number): Promise<void> {
    const own = join(folder, `attempt-${attempt}`, "record.json");
    const bytes = await readFile(own);
    const known = hashes?.get(attempt);
    if (known === undefined) await journal.add({ t: "attempt.found", ts: now(), ...place, attempt, sha256: sha256(bytes) });
    else asTold(own, bytes, known);
    await writeWhole(result, bytes);
  }
}

/** Scored, or the verifier's own fault: nothing that another attempt would change. */
export const isFinal = (record: TrialRecord): boolean => record.class !== "infra" && record.class !== "cancelled";

async function setAside(job: JobFolder, { task, configuration, repeat }: TrialPlace, n: number, attempt: string): Promise<void> {
  await mkdir(job.unfinished, { recursive: true });
  const name = `${[encodeName(task), encodeName(configuration), repeat].join("~").slice(0, 180)}~attempt-${n}~${randomUUID().slice(0, 8)}`;
  await rename(attempt, join(job.unfinished, name));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
