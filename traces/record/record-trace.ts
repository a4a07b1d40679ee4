import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { CannotError, messageOf } from "../../harness/errors.ts";
import { knownOptions } from "../../harness/known-options.ts";
import { firstHash } from "../format/line.ts";
import { createTraceWriter, type RecorderOptions, type TraceRecorder } from "./trace-writer.ts";
import { claimWriting } from "../format/writer-claim.ts";

/** Starts `<folder>/trace.jsonl`. Throws `CannotError` when it is there already or cannot be made. */
export function recordTrace(folder: string, o: RecorderOptions): TraceRecorder {
  knownOptions("recordTrace", o, { clock: true, micros: true, sync: true });
  const path = join(folder, "trace.jsonl");
  let release: (() => void) | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    release = claimWriting(folder);
    const file = openSync(path, "wx");
    const begin = { seq: 0, bytes: 0, head: firstHash, dt: 0, lanes: new Map<string, string>(), evidence: 0 };
    return createTraceWriter({ ...o, folder, file, begin, release });
  } catch (error) {
    release?.();
    throw new CannotError(
      `Cannot start the trace ${path}: ${messageOf(error).replace(/\.$/, "")}. Give the run a new folder that can be written.`,
    );
  }
}
