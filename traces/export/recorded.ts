import type { EventData, EventType, RunEvent } from "../../harness/events/schema.ts";

/** The data of an event whose type the caller has looked at. Runs on their way out were checked against the schemas. */
export const dataOf = <T extends EventType>(event: RunEvent, _type: T): EventData<T> => event.d as unknown as EventData<T>; // checked by L0

/** `2026-01-31T12:00:00.000Z`, or undefined for what is no time. */
export function isoTime(unixMs: number): string | undefined {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
