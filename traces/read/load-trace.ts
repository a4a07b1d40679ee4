import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { RunEvent, TraceLine } from "../../harness/events/schema.ts";
import { openBlobStore, type BlobStore } from "../record/blob-store.ts";
import { decodeData } from "../record/decode.ts";
import { readSeal, type Seal } from "../record/seal.ts";
import { readTrace } from "./read-trace.ts";

/** A whole run in memory, payloads decoded. */
export interface LoadedTrace {
  readonly folder: string;
  readonly lines: readonly TraceLine[];
  /** The same events with every blob put back. */
  readonly events: readonly RunEvent[];
  readonly seal: Seal | undefined;
  /** Bytes behind the last whole event. */
  readonly torn: number;
  readonly blobs: BlobStore;
}

export async function loadTrace(folder: string): Promise<LoadedTrace> {
  const blobs = openBlobStore(join(folder, "blobs"));
  const lines: TraceLine[] = [];
  const events: RunEvent[] = [];
  let torn = 0;
  for await (const { event, plain } of readTrace(folder, (tail) => void (torn = tail.bytes))) {
    lines.push(event);
    const place = `${folder}: event ${event.seq} (${event.lane}#${event.n})`;
    const d = plain ? event.d : decodeData(event.d, (hash) => blobs.get(hash), place);
    events.push({ t: event.t, lane: event.lane, n: event.n, cause: event.cause, d });
  }
  if (events.length === 0)
    throw new CannotError(`The trace in ${folder} has no whole event: nothing was recorded before its process ended.`);
  return { folder, lines, events, seal: readSeal(folder), torn, blobs };
}
