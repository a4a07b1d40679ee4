import { redactDeep } from "../../harness/events/redact-deep.ts";
import type { SecretKind } from "../../harness/events/redact.ts";
import type { RunEvent } from "../../harness/events/schema.ts";

/** Makes the function that takes secrets out of a text, and tells `onFound` of each. */
export type MakeRedactor = (onFound: (kind: SecretKind) => void) => (text: string) => string;

/** How many secrets of each kind were taken out. A secret that was recorded in several places counts in each. */
export type TakenOut = Readonly<Partial<Record<SecretKind, number>>>;

/** Takes secrets out of events, and counts them by kind. What has none is the same object. */
export function createEventRedactor(make: MakeRedactor): { redacted(event: RunEvent): RunEvent; takenOut(): TakenOut } {
  const counts = new Map<SecretKind, number>();
  const redact = make((kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  return {
    redacted(event) {
      const d = redactDeep(event.d, redact);
      return d === event.d ? event : { ...event, d };
    },
    takenOut: () => Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
