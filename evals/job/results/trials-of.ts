import { dirname } from "node:path";
import { glob } from "tinyglobby";
import { pool } from "../../../harness/pool.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { createResultReader } from "./published-results.ts";

/** Enough to keep the disk busy, and few files open at a time. */
const width = 32;

/**
 * The published results of a job, in the order of their paths; none is an empty list.
 * @throws DamagedError for one that cannot be read, or that is not as it was published
 */
export async function trialsOf(folder: string): Promise<readonly TrialRecord[]> {
  const trials = (await glob("trials/*/*/*/result.json", { cwd: folder, dot: true })).toSorted().map(dirname);
  const results = createResultReader(folder);
  const records: (TrialRecord | undefined)[] = Array.from({ length: trials.length });
  await pool([...trials.entries()], width, async ([i, trial]) => {
    records[i] = await results.read(trial);
  });
  return records.filter((record) => record !== undefined);
}
