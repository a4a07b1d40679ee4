import { join } from "node:path";
import { CannotError } from "../../../harness/errors.ts";
import type { RunEvent, TraceLine } from "../../../harness/events/schema.ts";
import { refuseImported } from "../../read/imported.ts";
import { refuseObserved } from "../../read/observed.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { openBlobStore } from "../../format/blob-store.ts";
import { readSeal } from "../../format/seal.ts";
import { requireConfig } from "./recorded-config.ts";
import { verifyTrace } from "./verify-trace.ts";

/**
 * A run to be replayed, read once: checked as `verifyTrace` does, so that every event of a known type has its shape, and beginning with `run.start`.
 * Throws as `verifyTrace`, and `CannotError` for a trace that begins with something else; and unless the caller only reads (`imported`), for one that was
 * imported, or whose configuration this Forge cannot read.
 */
export async function loadRecording(
  folder: string,
  o: { readonly imported?: boolean; /** Also one of another agent. */ readonly observed?: boolean } = {},
): Promise<LoadedTrace> {
  const lines: TraceLine[] = [];
  const events: RunEvent[] = [];
  const { torn, sealed } = await verifyTrace(folder, (line, { t, lane, n, cause, d }) => {
    lines.push(line);
    events.push({ t, lane, n, cause, d });
  });
  const [first] = events;
  if (first?.t !== "run.start")
    throw new CannotError(
      `The trace in ${folder} begins with ${first?.t}, not with run.start: it does not record what was run. Give another run.`,
    );
  if (o.imported !== true) {
    refuseImported(first);
    requireConfig(folder, first);
    if (o.observed !== true) refuseObserved(first);
  }
  return { folder, lines, events, seal: sealed ? readSeal(folder) : undefined, torn, blobs: openBlobStore(join(folder, "blobs")) };
}
