import { existsSync } from "node:fs";
import { join } from "node:path";

/** Any tool that reads gzip reads it: members one after the other. */
export const compressedName = "trace.jsonl.gz";

/** The names of a trace's file, plain or compressed: where both are there, the first one counts. */
export const traceFiles: readonly string[] = ["trace.jsonl", compressedName];
export const isTraceFile = (name: string): boolean => traceFiles.includes(name);

/** Whether a folder is one of a run. */
export const hasTrace = (folder: string): boolean => traceFiles.some((name) => existsSync(join(folder, name)));
