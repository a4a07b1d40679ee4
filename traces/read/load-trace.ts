import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { RunEvent, TraceLine } from "../../harness/events/schema.ts";
import { openBlobStore, type BlobStore } from "../format/blob-store.ts";
import { decodeData } from "../format/decode.ts";
import type { Seal } from "../format/seal.ts";
import { readWhole } from "./read-whole.ts";
import type { TornTail } from "./torn-tail.ts";

/** A whole run in memory, payloads decoded. */
export interface LoadedTrace {
  readonly folder: string;
  readonly lines: readonly TraceLine[];
  /** The same events with every blob put back. */
  readonly events: readonly RunEvent[];
  readonly seal: Seal | undefined;
  /** What is after the last whole event, left out; null: nothing. */
  readonly torn: TornTail | null;
  readonly blobs: BlobStore;
}

/** Throws as `readWhole`, and `CannotError` for a trace without a whole event or a payload. */
export async function loadTrace(folder: string): Promise<LoadedTrace> {
  const blobs = openBlobStore(join(folder, "blobs"));
  const lines: TraceLine[] = [];
  const events: RunEvent[] = [];
  const { seal, torn } = await readWhole(folder, ({ event, plain, offset }) => {
    lines.push(event);
    const place = `${folder}: event ${event.seq} (${event.lane}#${event.n}, byte ${offset})`;
    const d = plain ? event.d : decodeData(event.d, (hash) => blobs.get(hash), place);
    events.push({ t: event.t, lane: event.lane, n: event.n, cause: event.cause, d });
  });
  if (events.length === 0)
    throw new CannotError(`The trace in ${folder} has no whole event: nothing was recorded before its process ended.`);
  return { folder, lines, events, seal, torn, blobs };
}
