import { CannotError } from "../../harness/errors.ts";
import { loadTrace, type LoadedTrace } from "../read/load-trace.ts";
import { refuseImported } from "../read/imported.ts";
import { verifyTrace } from "./verify-trace.ts";

/**
 * A run to be replayed, in memory: checked as `verifyTrace` does, so that every event of a known type has its shape, and beginning with `run.start`.
 * Throws as `verifyTrace`, and `CannotError` for a trace that begins with something else, or was imported, unless the caller only reads (`imported`).
 */
export async function loadRecording(folder: string, o: { readonly imported?: boolean } = {}): Promise<LoadedTrace> {
  await verifyTrace(folder);
  const trace = await loadTrace(folder);
  const [first] = trace.events;
  if (first?.t !== "run.start")
    throw new CannotError(
      `The trace in ${folder} begins with ${first?.t}, not with run.start: it does not say what was run. Give another run.`,
    );
  if (o.imported !== true) refuseImported(folder, first);
  return trace;
}
