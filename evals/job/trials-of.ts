import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { glob } from "tinyglobby";
import { DamagedError } from "../../harness/errors.ts";
import { trialRecordSchema, type TrialRecord } from "../trial-record.ts";

/** The published results of a job, in the order of their paths; none is an empty list. @throws DamagedError for one that cannot be read. */
export async function trialsOf(folder: string): Promise<readonly TrialRecord[]> {
  const paths = await glob("trials/*/*/*/result.json", { cwd: folder, dot: true });
  return Promise.all(
    paths.toSorted().map(async (path) => {
      try {
        return trialRecordSchema.parse(JSON.parse(await readFile(join(folder, path), "utf8")));
      } catch {
        throw new DamagedError(`${join(folder, path)} is not the record of a trial; restore it, or remove it to run the trial again.`);
      }
    }),
  );
}
