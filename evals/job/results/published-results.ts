import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DamagedError } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { parseSums, sumsName } from "../../../harness/archive/sha256-sums.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { followLines, type FollowedLines } from "../../../harness/files/follow-lines.ts";
import { jobFolder } from "../job-folder.ts";
import { bytesOf, parseRecord } from "./read-record.ts";

/** What a job's journal tells of the bytes of its results: by the trial's folder, the SHA-256 of each attempt that was published. Older journals tell none. */
export interface ToldResults {
  /** Takes in a line of the journal, whatever it is. */
  hear(line: unknown): void;
  /** By the number of the attempt. */
  of(trial: string): ReadonlyMap<number, string> | undefined;
}

export function createToldResults(): ToldResults {
  const told = new Map<string, Map<number, string>>();
  const { trial: folderOf } = jobFolder("");
  return {
    hear(line) {
      if (typeof line !== "object" || line === null || !("sha256" in line)) return;
      const { t, task, configuration, repeat, attempt, sha256: hash } = line as Readonly<Record<string, unknown>>; // of an object each is anything
      if (t !== "attempt.end" && t !== "attempt.found") return;
      if (typeof task !== "string" || typeof configuration !== "string" || typeof repeat !== "number") return;
      if (typeof attempt !== "number" || typeof hash !== "string") return;
      const trial = folderOf({ task, configuration, repeat });
      const known = told.get(trial);
      if (known) known.set(attempt, hash);
      else told.set(trial, new Map([[attempt, hash]]));
    },
    of: (trial) => told.get(trial),
  };
}

/** @throws DamagedError for bytes that are not those of which the journal tells. */
export function asTold(path: string, bytes: string | Uint8Array, hash: string): void {
  differsNot(path, bytes, hash, { who: "the job's journal has", cure: "remove the trial's folder to run the trial again" });
}

function differsNot(
  path: string,
  bytes: string | Uint8Array,
  hash: string,
  { who, cure }: { readonly who: string; readonly cure: string },
): void {
  const found = sha256(bytes);
  if (found !== hash)
    throw new DamagedError(
      `${path} was changed after it was written: its SHA-256 begins with ${found.slice(0, 12)}, and ${who} ${hash.slice(0, 12)}; restore it from a copy, or ${cure}.`,
    );
}

/** Where the attempt that a result is of has its own record. */
export const recordOf = (folder: string, trial: string, { attempt }: Pick<TrialRecord, "attempt">): string =>
  join(folder, trial, `attempt-${attempt}`, "record.json");

/**
 * For a result of which the journal tells nothing. `needed`: its attempt's record must be there.
 * @throws DamagedError for one that is not what its attempt recorded
 */
export function asRecorded(
  { path, bytes, record }: { readonly path: string; readonly bytes: Buffer; readonly record: TrialRecord },
  own: { readonly path: string; readonly bytes: Buffer | undefined },
  needed: boolean,
): void {
  // older versions wrote the same record with its fields in another order
  const isSame = own.bytes ? own.bytes.equals(bytes) || isDeepStrictEqual(parseRecord(own.path, own.bytes), record) : !needed;
  if (!isSame)
    throw new DamagedError(
      `${path} is not what attempt ${record.attempt} recorded in ${own.path}; restore it from a copy, or remove it: the same forge bench publishes the record again.`,
    );
}

/** @throws DamagedError for the record of a trial that belongs into another folder */
export function asPlaced(path: string, record: TrialRecord, trial: string): void {
  if (jobFolder("").trial(record) === trial) return;
  throw new DamagedError(
    `${path} is the result of ${record.task}, ${record.configuration}, repeat ${record.repeat}, which belongs elsewhere; restore it from a copy, or remove the trial's folder to run the trial again.`,
  );
}

export interface ResultReader {
  /**
   * The result in a trial's folder, which is relative to the job's; undefined where there is none.
   * @throws DamagedError for one that cannot be understood, or that is not the one that was published there
   */
  read(trial: string): Promise<TrialRecord | undefined>;
}

/**
 * Reads the results of a job as they were published: with the bytes of which its journal tells, else those of the `SHA256SUMS` of an archive that was
 * unpacked. Where neither tells anything, as of a trial whose line a crash took, or in a job of an older version, it is what its attempt recorded.
 */
export function createResultReader(folder: string): ResultReader {
  const job = jobFolder(folder);
  let told = createToldResults();
  let journal: FollowedLines | undefined;
  let [file, size] = [-1, 0];
  let hearing = Promise.resolve();
  let sums: Promise<ReadonlyMap<string, string>> | undefined;

  /** A running job reports more meanwhile; one that was started again in the same folder reports everything again. */
  const hearMore = async (): Promise<void> => {
    const now = await stat(job.journal).catch(() => undefined);
    if (!now || (journal && now.ino === file && now.size === size)) return;
    if (now.ino !== file || now.size < size) [told, journal] = [createToldResults(), undefined];
    [file, size] = [now.ino, now.size];
    journal ??= followLines(job.journal);
    for (const line of await journal.read()) if (line.includes('"sha256"')) told.hear(parse(line));
  };
  const hear = (): Promise<void> => (hearing = hearing.then(hearMore));
  let first: Promise<void> | undefined;

  const check = async (trial: string, path: string, bytes: Buffer, record: TrialRecord): Promise<void> => {
    const known = told.of(trial);
    const hash = known?.get(record.attempt);
    if (hash !== undefined) return asTold(path, bytes, hash);
    const sum = known ? undefined : (await (sums ??= sumsOf(folder))).get(`${trial}/result.json`);
    if (sum !== undefined) {
      const there = { who: `the ${sumsName} beside the job's lock.json has`, cure: "unpack the archive, or regrade the job, once more" };
      return differsNot(path, bytes, sum, there);
    }
    const own = recordOf(folder, trial, record);
    asRecorded({ path, bytes, record }, { path: own, bytes: await bytesOf(own) }, known !== undefined);
  };

  return {
    async read(trial) {
      await (first ??= hear());
      const path = join(folder, trial, "result.json");
      const bytes = await bytesOf(path);
      if (!bytes) return undefined;
      const record = parseRecord(path, bytes);
      asPlaced(path, record, trial);
      if (told.of(trial)?.get(record.attempt) !== sha256(bytes)) await hear();
      await check(trial, path, bytes, record);
      return record;
    },
  };
}

async function sumsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const path = join(folder, sumsName);
  const text = await bytesOf(path);
  try {
    return text ? parseSums(text.toString("utf8")) : new Map();
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    throw new DamagedError(`${path} is damaged: ${error.message} Unpack the archive again.`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // torn by a crash
  }
}
