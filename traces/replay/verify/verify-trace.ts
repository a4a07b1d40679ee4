import { join } from "node:path";
import { CannotError, DamagedError } from "../../../harness/errors.ts";
import { eventSchemas, type EventType, type RunEvent, type TraceLine } from "../../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../../harness/json.ts";
import { createRequestRebuilder } from "../../read/rebuild-requests.ts";
import type { ReadLine } from "../../read/read-trace.ts";
import { readWhole } from "../../read/read-whole.ts";
import type { TornTail } from "../../read/torn-tail.ts";
import { openBlobStore } from "../../format/blob-store.ts";
import { atPlace, blobsOf, decodeData, type GetBlob } from "../../format/decode.ts";
import { fitsSchema } from "./fits-schema.ts";

/** The result of L0. */
export interface TraceCheck {
  readonly folder: string;
  readonly events: number;
  readonly requests: number;
  readonly blobs: number;
  readonly sealed: boolean;
  /** What is after the last whole event, left out; null: nothing. */
  readonly torn: TornTail | null;
  /** Types that this Forge does not know: kept, counted, not checked. */
  readonly unknown: number;
}

/**
 * L0: hash chains, density of `seq` and `n`, shape of every event, blobs, every request rebuilt from its references, and the seal.
 * Throws `DamagedError` at the first thing that does not fit, `CannotError` when something is missing, of a later version, or too large to be read.
 * Memory is flat in the trace's size but for the conversation.
 * @param onEvent called with each event that fits so far: its line, and the event with every payload put back
 */
export async function verifyTrace(folder: string, onEvent?: (line: TraceLine, event: RunEvent) => void): Promise<TraceCheck> {
  const blobs = openBlobStore(join(folder, "blobs"));
  const rebuilder = createRequestRebuilder();
  const seen = new Set<string>();
  const count = { events: 0, requests: 0, unknown: 0 };
  const see = ({ event, plain, offset }: ReadLine): void => {
    const where = (): string => `${join(folder, "trace.jsonl")}: event ${event.seq} (${event.t}, ${event.lane}#${event.n}, byte ${offset})`;
    const decoded: RunEvent = plain ? event : { ...event, d: withBlobs(event.d, where()) };
    if (Object.hasOwn(eventSchemas, event.t)) checkShape(event.t, decoded.d, where);
    else count.unknown++;
    if (rebuilder.add(decoded)) count.requests++;
    onEvent?.(event, decoded);
    count.events++;
  };
  const withBlobs = (d: JsonObject, where: string): JsonObject => {
    const get = onceEach((hash) => blobs.get(hash));
    for (const blob of blobsOf(d, get, where)) {
      if (atPlace(where, () => get(blob.hash)).byteLength !== blob.bytes)
        throw new DamagedError(`${where}: the blob ${blob.hash} is not ${blob.bytes} bytes long.`);
      seen.add(blob.hash);
    }
    return decodeData(d, get, where);
  };
  const { seal, torn } = await readWhole(folder, see);
  if (count.events === 0)
    throw new CannotError(`The trace in ${folder} has no whole event: nothing was recorded before its process ended.`);
  return { folder, ...count, torn, blobs: seen.size, sealed: seal !== undefined };
}

/** Bytes of payloads that are kept while their event is checked; what is more is read again. */
const maxKeptBytes = 16 * 1024 ** 2;

/** An event's payloads are asked for up to three times: what they name, how long they are, what they say. Each is read, and held against its hash, once. */
function onceEach(get: GetBlob): GetBlob {
  const kept = new Map<string, Uint8Array>();
  let left = maxKeptBytes;
  return (hash) => {
    const known = kept.get(hash);
    if (known) return known;
    const content = get(hash);
    left -= content.byteLength;
    if (left >= 0) kept.set(hash, content);
    return content;
  };
}

/** By type; undefined where zod is to be asked at once. */
const fitting = new Map<EventType, ((value: unknown) => boolean) | undefined>();

function checkShape(t: EventType, d: Json, where: () => string): void {
  if (!fitting.has(t)) fitting.set(t, fitsSchema(eventSchemas[t]));
  if (fitting.get(t)?.(d)) return;
  const checked = shapeOf(t, d, where);
  if (checked.success) return;
  const issue = checked.error.issues[0];
  throw new DamagedError(`${where()}: ${issue ? `${issue.path.join(".")}: ${issue.message}` : "wrong shape"}.`);
}

function shapeOf(t: EventType, d: Json, where: () => string) {
  try {
    return eventSchemas[t].safeParse(d);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CannotError(`${where()} is nested too deep to be checked. No run of Forge writes that: leave this trace out.`);
  }
}
