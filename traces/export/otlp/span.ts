import { sha256 } from "../../../harness/hash/sha256.ts";
import type { ExportedEvent, ExportedRun } from "../exported-run.ts";
import type { Attribute } from "./attributes.ts";

/** What the spans of a run are made with. */
export interface SpanContext {
  readonly run: ExportedRun;
  /** The event that a reference names. */
  eventAt(reference: string): ExportedEvent | undefined;
}

export interface SpanEvent {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}
/** A span in the JSON mapping of OTLP: ids in hex, times in nanoseconds as text. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly SpanEvent[];
  /** 2: an error. */
  readonly status?: { readonly code: 2; readonly message?: string };
}
export const spanKind = { internal: 1, client: 3 } as const;

export const traceIdOf = (run: ExportedRun): string => sha256(`forge trace ${run.id}`).slice(0, 32);
export const spanIdOf = (run: ExportedRun, event: ExportedEvent): string => sha256(`forge span ${run.id} ${event.seq}`).slice(0, 16);

/** Where the run began on the clock, and from there on the time that only goes forward. What is no time counts as 1970. */
export function createTimes(run: ExportedRun): (event: ExportedEvent) => string {
  const [first] = run.events;
  const whole = (value: number | undefined): bigint =>
    value !== undefined && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : 0n;
  const begin = whole(first?.ts) * 1_000_000n;
  const zero = whole(first?.dt);
  return (event) => {
    const since = whole(event.dt) - zero;
    return String(BigInt.asUintN(63, begin + (since > 0n ? since : 0n) * 1000n));
  };
}
