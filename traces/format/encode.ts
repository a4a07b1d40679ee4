import { sha256 } from "../../harness/hash/sha256.ts";
import type { Json, JsonObject } from "../../harness/json.ts";

/** Payloads of at most this many bytes stay in their line; larger ones become blobs. */
const inlineBytes = 4096;

/** Stores bytes under their SHA-256; the same bytes are stored once. */
export type PutBlob = (hash: string, content: Uint8Array) => void;

/**
 * An event's data as the JSON text of its line. Any string or subtree over `inlineBytes` becomes `{"$blob": sha256, "bytes": n, "as": "text" | "json"}`;
 * keys that begin with `$` are escaped with a second one, so that recorded content can never look like a reference.
 * The same data always give the same text: that is what the lane digest is over.
 */
export function encodeData(d: JsonObject, putBlob: PutBlob): string {
  const plain = JSON.stringify(d);
  if (plain.length * 3 <= inlineBytes || Buffer.byteLength(plain) <= inlineBytes) {
    if (!plain.includes('"$')) return plain;
  }
  const members = Object.entries(d).flatMap(([key, value]) => {
    const text = encode(value, putBlob);
    return text === undefined ? [] : [`${JSON.stringify(escapeKey(key))}:${text}`];
  });
  return `{${members.join(",")}}`;
}

/** Bottom-up: a value is measured after its parts have been taken out of it. */
function encode(value: Json | undefined, putBlob: PutBlob): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return encodeString(value, putBlob);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = Array.isArray(value)
    ? `[${value.map((item) => encode(item, putBlob) ?? "null").join(",")}]`
    : `{${Object.entries(value)
        .flatMap(([key, item]) => {
          const member = encode(item, putBlob);
          return member === undefined ? [] : [`${JSON.stringify(escapeKey(key))}:${member}`];
        })
        .join(",")}}`;
  return Buffer.byteLength(text) > inlineBytes ? reference(Buffer.from(text), "json", putBlob) : text;
}

function encodeString(value: string, putBlob: PutBlob): string {
  const text = JSON.stringify(value);
  if (text.length <= inlineBytes && Buffer.byteLength(text) <= inlineBytes) return text;
  // a lone surrogate has no UTF-8 form: such a string is kept in its JSON spelling
  return value.isWellFormed() ? reference(Buffer.from(value), "text", putBlob) : reference(Buffer.from(text), "json", putBlob);
}

function reference(content: Uint8Array, as: "text" | "json", putBlob: PutBlob): string {
  const hash = sha256(content);
  putBlob(hash, content);
  return `{"$blob":"${hash}","bytes":${content.byteLength},"as":"${as}"}`;
}

const escapeKey = (key: string): string => (key.startsWith("$") ? `$${key}` : key);
