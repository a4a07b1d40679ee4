import { redactDeep } from "../../harness/secrets/redact-json.ts";
import type { SecretKind } from "../../harness/secrets/redact-text.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import type { Json } from "../../harness/json.ts";

/** No secret is shorter. */
const shortestName = 8;

/** Makes the function that takes secrets out of a text, and tells `onFound` of each. */
export type MakeRedactor = (onFound: (kind: SecretKind) => void) => (text: string) => string;

/** How many secrets of each kind were taken out. A secret that was recorded in several places counts in each. */
export type TakenOut = Readonly<Partial<Record<SecretKind, number>>>;

/** Takes secrets out of events, names of members too, and counts them by kind. What has none is the same object. */
export function createEventRedactor(make: MakeRedactor): { redacted(event: RunEvent): RunEvent; takenOut(): TakenOut } {
  const counts = new Map<SecretKind, number>();
  const redact = make((kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  return {
    redacted(event) {
      const d = redactNames(redactDeep(event.d, redact), redact);
      return d === event.d ? event : { ...event, d };
    },
    takenOut: () => Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** A model chooses the names of arguments, and a verifier those of rewards. */
function redactNames<T extends Json>(value: T, redact: (text: string) => string): T {
  return namesIn(value, redact) as T; // the walk keeps the shape and only swaps names
}

function namesIn(value: Json, redact: (text: string) => string): Json {
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const next = namesIn(item, redact);
      changed ||= next !== item;
      return next;
    });
    return changed ? items : value;
  }
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    const name = key.length < shortestName ? key : redact(key);
    const next = namesIn(item, redact);
    changed ||= name !== key || next !== item;
    return [name, next];
  });
  return changed ? Object.fromEntries(entries) : value;
}
