import { CannotError } from "../../harness/errors.ts";
import { loadTrace, type LoadedTrace } from "../read/load-trace.ts";
import { verifyTrace } from "./verify-trace.ts";

/**
 * A run to be replayed, in memory: checked as `verifyTrace` does, so that every event of a known type has its shape, and beginning with `run.start`.
 * Throws as `verifyTrace`, and `CannotError` for a trace that begins with something else.
 */
export async function loadRecording(folder: string): Promise<LoadedTrace> {
  await verifyTrace(folder);
  const trace = await loadTrace(folder);
  const [first] = trace.events;
  if (first?.t !== "run.start")
    throw new CannotError(
      `The trace in ${folder} begins with ${first?.t}, not with run.start: it does not say what was run. Give another run.`,
    );
  return trace;
}
