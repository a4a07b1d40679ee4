import { readFile } from "node:fs/promises";
import { codeOf, DamagedError } from "../../../harness/errors.ts";
import { trialRecordSchema, type TrialRecord } from "../../trial/trial-record.ts";
import { againstItself } from "./against-itself.ts";

const cure = "restore it, or remove it to run the trial again.";

/** A trial's `result.json` or an attempt's `record.json`; undefined where there is none. @throws DamagedError for one that cannot be understood. */
export async function readRecord(path: string): Promise<TrialRecord | undefined> {
  const bytes = await bytesOf(path);
  return bytes && parseRecord(path, bytes);
}

/** @throws DamagedError for what is no record, and for a record that contradicts itself. */
export function parseRecord(path: string, content: Uint8Array | string): TrialRecord {
  let record: TrialRecord;
  try {
    record = trialRecordSchema.parse(JSON.parse(typeof content === "string" ? content : textOf(content)));
  } catch {
    throw new DamagedError(`${path} is not the record of a trial; ${cure}`);
  }
  const contradictions = againstItself(record);
  if (contradictions.length > 0) throw new DamagedError(`${path} contradicts itself: ${contradictions.join(", ")}; ${cure}`);
  return record;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");

/** Of a file; undefined where there is none. */
export async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
