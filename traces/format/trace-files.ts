import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../harness/errors.ts";

/** Any tool that reads gzip reads it: members one after the other. */
export const compressedName = "trace.jsonl.gz";

/** Which piece of the trace lies where in the compressed file. */
export const membersName = "trace.jsonl.gz.json";
export const plainName = "trace.jsonl";

/** The names of a trace's file, plain or compressed: where both are there, the first one counts. */
export const traceFiles: readonly string[] = [plainName, compressedName];
export const isTraceFile = (name: string): boolean => traceFiles.includes(name);

/** Whether the trace of a run is in a folder. */
export const hasTrace = (folder: string): boolean => traceFiles.some((name) => existsSync(join(folder, name)));

export const sealName = "seal.json";

/** Whether a name in a folder makes it a run's: a seal too, which nothing leaves without its trace, so that a run whose trace is gone is missed. */
export const isRunFile = (name: string): boolean => isTraceFile(name) || name === sealName;

/** Whether a folder is a run's, its trace still there or not. */
export const isRunFolder = (folder: string): boolean => hasTrace(folder) || isSealed(folder);

/** Whether a run's folder has a seal, be it a good one or not. What is a file itself has none. */
export function isSealed(folder: string): boolean {
  try {
    return lstatSync(join(folder, sealName), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}
