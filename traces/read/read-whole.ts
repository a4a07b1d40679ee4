import { plural } from "../../harness/text/figures.ts";
import { DamagedError } from "../../harness/errors.ts";
import { readSeal, type Seal } from "../format/seal.ts";
import { readTraceInParts, type ReadLine } from "./read-trace.ts";
import type { TornTail } from "./torn-tail.ts";

/** What was found of a trace from its beginning on. */
interface FoundTrace {
  readonly events: number;
  /** Hash of the last whole event. */
  readonly head: string;
  /** Bytes of all whole events. */
  readonly bytes: number;
  /** What stands behind them. */
  readonly torn: TornTail | null;
}

/**
 * Holds a trace against its seal; answers that, or undefined where there is none. `seal` was read before the trace, or one that is sealed meanwhile would seem
 * to have lost its end.
 * @throws DamagedError for a trace that is not the one that was sealed
 */
function checkSeal(folder: string, seal: Seal | undefined, found: FoundTrace): Seal | undefined {
  if (!seal) return undefined;
  const { events, head, bytes, torn } = found;
  if (seal.count === events && seal.head === head && seal.bytes === bytes && !torn) return seal;
  throw new DamagedError(
    `The trace in ${folder} does not fit its seal: sealed with ${plural(seal.count, "event")} in ${seal.bytes} bytes, found ${events} in ${bytes + (torn?.bytes ?? 0)}. Restore it from a copy.`,
  );
}

/** All lines of a trace, held against its seal once they are read. Throws as `readTrace`, and as `checkSeal`. */
export async function readWhole(
  folder: string,
  each: (line: ReadLine) => void,
): Promise<{ readonly seal: Seal | undefined; readonly torn: TornTail | null }> {
  const seal = readSeal(folder);
  const found = { events: 0, head: "", bytes: 0 };
  let torn: TornTail | null = null;
  for await (const lines of readTraceInParts(folder, (tail) => void (torn = tail)))
    for (const line of lines) {
      found.events++;
      found.head = line.event.h;
      found.bytes = line.offset + line.length;
      each(line);
    }
  return { seal: checkSeal(folder, seal, { ...found, torn }), torn };
}
