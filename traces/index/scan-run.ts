import { join } from "node:path";
import { DamagedError } from "../../harness/errors.ts";
import type { TraceLine } from "../../harness/events/schema.ts";
import { openBlobStore } from "../format/blob-store.ts";
import { decodeData } from "../format/decode.ts";
import { readSeal } from "../format/seal.ts";
import { readTrace } from "../read/read-trace.ts";
import { tornSeal, type TornTail } from "../read/torn-tail.ts";
import { openTraceBytes } from "../read/trace-bytes.ts";
import { createTurnCounter } from "../read/turn-counter.ts";
import { eventText } from "./searchable-text.ts";
import { fitsQuery, type Query } from "./query.ts";

/** An event that a search found. */
export interface Hit {
  /** Of the run; absolute. */
  readonly folder: string;
  readonly seq: number;
  readonly t: string;
  readonly lane: string;
  /** Of the main conversation; 0 before its first request. */
  readonly turn: number;
  /** Unix milliseconds. */
  readonly ts: number;
  /** Where its line stands in the uncompressed trace. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * The events of a run that fit, found by reading all of it; what stands behind the whole ones is told. Throws as `readTrace` does, and `DamagedError` in the end for
 * bytes behind the whole events of a trace that was sealed.
 */
export async function* scanRun(folder: string, query: Query, onTorn: (torn: TornTail) => void): AsyncGenerator<Hit> {
  const seal = readSeal(folder); // before the trace, which may be sealed just now
  const tell = (torn: TornTail): void => {
    if (seal) throw tornSeal(openTraceBytes(folder).path, torn);
    onTorn(torn);
  };
  const blobs = openBlobStore(join(folder, "blobs"));
  const counter = createTurnCounter();
  for await (const { event, plain, offset, length } of readTrace(folder, tell)) {
    const { seq, t, lane, ts } = event;
    const d = plain ? event.d : decodeData(event.d, (hash) => blobs.get(hash), `${folder}: event ${seq} (byte ${offset})`);
    counter.see({ t, lane, d });
    if (fitsQuery(query, eventText(event, d))) yield { folder, seq, t, lane, turn: counter.turn(), ts, offset, bytes: length };
  }
}

/** The text of a found event, read again from its trace. Throws `DamagedError` where it does not stand there any more. */
export async function readHit({ folder, seq, offset, bytes }: Hit): Promise<string> {
  const source = openTraceBytes(folder);
  const line = Buffer.from(await source.range(offset, bytes)).toString("utf8");
  let event: TraceLine;
  try {
    event = JSON.parse(line) as TraceLine; // it was one when it was found; looked at below
  } catch {
    throw moved(source.path);
  }
  if (event.seq !== seq) throw moved(source.path);
  const blobs = openBlobStore(join(folder, "blobs"));
  return eventText(
    event,
    decodeData(event.d, (hash) => blobs.get(hash), `${folder}: event ${seq}`),
  );
}

const moved = (path: string): DamagedError =>
  new DamagedError(`${path} was changed while it was searched; forge traces verify shows whether it is whole.`);

export const newestFirst = (a: Hit, b: Hit): number => b.ts - a.ts || (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : a.seq - b.seq);
