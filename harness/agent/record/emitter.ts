import { redactDeep } from "../../secrets/redact-json.ts";
import type { EventType } from "../../events/schema.ts";
import { isDeeperThan, type Json, type JsonObject, maxRecordedDepth } from "../../json.ts";
import type { EventSink } from "../../contract/ports.ts";

/** Numbers the events of each lane and hands them, redacted, to the sink. One for a run and all its subagents. */
export interface Emitter {
  /** Answers the event's reference, `lane#n`. Throws for what nests too deep to be recorded, and the next event takes its place. */
  emit(t: EventType, lane: string, d: object, cause?: readonly string[]): string;
  /** As it is recorded: secrets taken out. The same object when there were none. */
  redacted<T extends Json>(value: T): T;
  flush(): Promise<void>;
  text(lane: string, delta: string): void;
}

export function createEmitter(sink: EventSink, redact: ((text: string) => string) | undefined): Emitter {
  const ordinals = new Map<string, number>();
  const redacted = <T extends Json>(value: T): T => {
    if (isDeeperThan(value, maxRecordedDepth))
      throw new RangeError(`A value nests more than ${maxRecordedDepth} levels deep and is not recorded.`);
    return redact ? redactDeep(value, redact) : value;
  };
  return {
    redacted,
    emit(t, lane, d, cause = []) {
      const recorded = redacted(d as JsonObject); // event data are plain JSON by their schemas; undefined fields vanish when they are written
      const n = ordinals.get(lane) ?? 0;
      ordinals.set(lane, n + 1);
      sink.emit({ t, lane, n, cause, d: recorded });
      return `${lane}#${n}`;
    },
    flush: () => sink.flush(),
    text: (lane, delta) => sink.text?.(lane, delta),
  };
}
