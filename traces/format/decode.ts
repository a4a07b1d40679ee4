import { CannotError, DamagedError, ForgeError } from "../../harness/errors.ts";
import type { Json, JsonObject } from "../../harness/json.ts";

export type GetBlob = (hash: string) => Uint8Array;

/** Bytes that the payloads of one event may have together, each counted as often as it is referred to: small ones that name each other could fill any memory. */
const maxEventBytes = 256 * 1024 * 1024;
/** A parsed value takes up to this many times the bytes of its JSON text. */
const jsonWeight = 8;
/** What is smaller stays in its line when Forge writes it, and opening a file costs as much as reading this. */
const leastBlobBytes = 4096;

/**
 * The inverse of `encodeData` on parsed JSON: references replaced by what they refer to, escaped keys restored. `place` names the event where it is refused.
 * @throws CannotError for an event whose payloads are more than `maxEventBytes`, or nested too deep to be read
 */
export function decodeData(d: JsonObject, getBlob: GetBlob, place?: string): JsonObject {
  return bounded(place, (charge) =>
    decodeObject(d, (reference) => {
      const content = getBlob(reference.hash);
      charge(content.byteLength, reference.as);
      return contentOf(reference, content);
    }),
  );
}

/** The blobs that recorded data refer to, in order, those inside blobs too. Throws as `decodeData` does. */
export function blobsOf(d: Json, getBlob: GetBlob, place?: string): { hash: string; bytes: number }[] {
  const found: { hash: string; bytes: number }[] = [];
  bounded(place, (charge) =>
    gather(d, (reference) => {
      found.push({ hash: reference.hash, bytes: reference.bytes });
      const content = reference.as === "json" ? getBlob(reference.hash) : undefined;
      charge(content?.byteLength ?? reference.bytes, reference.as);
      return content && contentOf(reference, content);
    }),
  );
  return found;
}

/** What a reference stands for, its own references left as they are; any other value as it is. */
export function openReference(value: Json | undefined, getBlob: GetBlob): Json | undefined {
  const reference = referenceIn(value);
  return reference ? contentOf(reference, getBlob(reference.hash)) : value;
}

interface Reference {
  readonly hash: string;
  readonly bytes: number;
  readonly as: "text" | "json";
}
type Charge = (bytes: number, as: Reference["as"]) => void;

function bounded<T>(place: string | undefined, use: (charge: Charge) => T): T {
  let left = maxEventBytes;
  const charge: Charge = (bytes, as) => {
    left -= Math.max(bytes, leastBlobBytes) * (as === "json" ? jsonWeight : 1);
    if (left >= 0) return;
    throw new CannotError(
      `${place ?? "An event"} refers to more than ${maxEventBytes / 1024 ** 2} MiB of payloads, each counted as often as it is named, and is not read. No run of Forge writes that: leave this trace out.`,
    );
  };
  try {
    return place === undefined ? use(charge) : atPlace(place, () => use(charge));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CannotError(`${place ?? "An event"} is nested too deep to be read. No run of Forge writes that: leave this trace out.`);
  }
}

/** What `act` answers; where a payload is not what it must be, `place` says which event refers to it. */
export function atPlace<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ForgeError) || error.message.startsWith(place)) throw error;
    const message = `${place}: ${error.message}`;
    throw error instanceof DamagedError ? new DamagedError(message) : new CannotError(message);
  }
}

function gather(d: Json, open: (reference: Reference) => Json | undefined): void {
  const reference = referenceIn(d);
  if (reference) gather(open(reference) ?? null, open);
  else if (typeof d === "object" && d !== null) for (const item of Object.values(d)) gather(item, open);
}

type Open = (reference: Reference) => Json;

/** What holds nothing to put back is answered itself: most of an event, and a copy costs more than the look. */
function decodeObject(d: JsonObject, open: Open): JsonObject {
  let same = true;
  const entries: [string, Json][] = [];
  for (const [key, value] of Object.entries(d)) {
    const entry: [string, Json] = [unescapeKey(key), decode(value, open)];
    same &&= entry[0] === key && entry[1] === value;
    entries.push(entry);
  }
  return same ? d : Object.fromEntries(entries);
}

function decode(value: Json, open: Open): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => decode(item, open));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const reference = referenceIn(value);
  if (!reference) return decodeObject(value, open);
  const content = open(reference);
  return reference.as === "json" ? decode(content, open) : content;
}

function referenceIn(value: Json | undefined): Reference | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { $blob: hash, bytes, as } = value;
  if (typeof hash !== "string" || typeof bytes !== "number" || (as !== "text" && as !== "json")) return undefined;
  return { hash, bytes, as };
}

/** Made once: making one takes longer than decoding a small payload. */
const [textDecoder, jsonDecoder] = [new TextDecoder("utf-8", { ignoreBOM: true }), new TextDecoder()];

function contentOf({ hash, as }: Reference, content: Uint8Array): Json {
  if (as === "text") return textDecoder.decode(content);
  try {
    return JSON.parse(jsonDecoder.decode(content)) as Json; // what JSON.parse gives is Json
  } catch {
    throw new DamagedError(`The blob ${hash} is referred to as JSON and is none.`);
  }
}

const unescapeKey = (key: string): string => (key.startsWith("$$") ? key.slice(1) : key);
