import type { Json, JsonObject } from "../../harness/json.ts";

export type GetBlob = (hash: string) => Uint8Array;

/** The inverse of `encodeData` on parsed JSON: references replaced by what they refer to, escaped keys restored. */
export function decodeData(d: JsonObject, getBlob: GetBlob): JsonObject {
  return Object.fromEntries(Object.entries(d).map(([key, value]) => [unescapeKey(key), decode(value, getBlob)]));
}

/** The blobs that recorded data refer to, in order, those inside blobs too. */
export function blobsOf(d: Json, getBlob: GetBlob, found: { hash: string; bytes: number }[] = []): { hash: string; bytes: number }[] {
  const reference = referenceIn(d);
  if (reference) {
    found.push(reference);
    if (reference.as === "json") blobsOf(parse(getBlob(reference.hash)), getBlob, found);
  } else if (typeof d === "object" && d !== null) {
    for (const item of Object.values(d)) blobsOf(item, getBlob, found);
  }
  return found;
}

function decode(value: Json, getBlob: GetBlob): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => decode(item, getBlob));
  const reference = referenceIn(value);
  if (!reference) return decodeData(value, getBlob);
  const content = getBlob(reference.hash);
  return reference.as === "json" ? decode(parse(content), getBlob) : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
}

function referenceIn(value: Json): { hash: string; bytes: number; as: "text" | "json" } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { $blob: hash, bytes, as } = value;
  if (typeof hash !== "string" || typeof bytes !== "number" || (as !== "text" && as !== "json")) return undefined;
  return { hash, bytes, as };
}

const parse = (content: Uint8Array): Json => JSON.parse(new TextDecoder().decode(content)) as Json; // what JSON.parse gives is Json
const unescapeKey = (key: string): string => (key.startsWith("$$") ? key.slice(1) : key);
