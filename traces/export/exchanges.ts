import type { ExportedEvent } from "./exported-run.ts";

/** A request with what came of it. */
export interface Exchange {
  readonly request: ExportedEvent;
  /** Failed tries, in order. */
  readonly tries: readonly ExportedEvent[];
  readonly answer: ExportedEvent | undefined;
}

/** The requests of one lane, in order. A middleware may have several open at a time: an answer says whose it is. */
export function exchangesOf(events: readonly ExportedEvent[]): Exchange[] {
  const found = new Map<string, { request: ExportedEvent; tries: ExportedEvent[]; answer: ExportedEvent | undefined }>();
  for (const event of events) {
    if (event.t === "model.request") found.set(`${event.lane}#${event.n}`, { request: event, tries: [], answer: undefined });
    const asked = event.t === "model.response" || event.t === "model.attempt" ? found.get(String(event.cause[0])) : undefined;
    if (!asked) continue;
    if (event.t === "model.response") asked.answer ??= event;
    else asked.tries.push(event);
  }
  return [...found.values()];
}
