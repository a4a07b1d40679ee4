import { join } from "node:path";
import { glob } from "tinyglobby";
import type { TrialRecord } from "../trial-record.ts";
import { readRecord } from "./read-record.ts";

/** The published results of a job, in the order of their paths; none is an empty list. @throws DamagedError for one that cannot be read. */
export async function trialsOf(folder: string): Promise<readonly TrialRecord[]> {
  const paths = await glob("trials/*/*/*/result.json", { cwd: folder, dot: true });
  const records = await Promise.all(paths.toSorted().map((path) => readRecord(join(folder, path))));
  return records.filter((record) => record !== undefined);
}
