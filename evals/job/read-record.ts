import { readJson } from "../read-json.ts";
import { trialRecordSchema, type TrialRecord } from "../trial-record.ts";

export const damagedRecord = "is not the record of a trial; restore it, or remove it to run the trial again.";

/** A trial's `result.json` or an attempt's `record.json`; undefined where there is none. @throws DamagedError for one that cannot be understood. */
export const readRecord = (path: string): Promise<TrialRecord | undefined> => readJson(path, trialRecordSchema, damagedRecord);
