import type { Json } from "../json.ts";

/** Protocol ids and provider-signed blocks must go back unchanged, so nothing is ever taken out of them. */
const untouched: ReadonlySet<string> = new Set([
  "id",
  "callId",
  "opaque",
  "signature",
  "hash",
  "root",
  "systemHash",
  "toolsHash",
  "argsDigest",
]);

/** Below these a model or a tool chooses the keys: an `id` there is text like any other. */
const foreign = new Set(["args", "reply", "result"]);
const none: ReadonlySet<string> = new Set();

/** Applies `redact` to every string of a JSON value, keys' order kept. Answers the same object when nothing was taken out. */
export function redactDeep<T extends Json>(value: T, redact: (text: string) => string): T {
  return walk(value, redact, untouched) as T; // the walk keeps the shape and only swaps strings for strings
}

function walk(value: Json, redact: (text: string) => string, spared: ReadonlySet<string>): Json {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let changed = false;
    const copy = value.map((item) => {
      const next = walk(item, redact, spared);
      changed ||= next !== item;
      return next;
    });
    return changed ? copy : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    if (item === undefined || spared.has(key)) return [key, item];
    const next =
      key === "written" && spared !== none && typeof item === "string"
        ? redactJsonText(item, redact)
        : walk(item, redact, foreign.has(key) ? none : spared);
    changed ||= next !== item;
    return [key, next];
  });
  return changed ? Object.fromEntries(entries) : value;
}

/** Text that is JSON spells some characters of a secret in another way. */
function redactJsonText(text: string, redact: (text: string) => string): string {
  try {
    const value = JSON.parse(text) as Json; // what JSON.parse gives is Json
    const next = walk(value, redact, none);
    if (next !== value) return JSON.stringify(next);
  } catch {
    // a model may write anything
  }
  return redact(text);
}
