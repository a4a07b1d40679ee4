import { DamagedError } from "../../harness/errors.ts";
import { readSeal, type Seal } from "../record/seal.ts";
import { readTraceInParts, type ReadLine } from "./read-trace.ts";

/** What was found of a trace from its beginning on. */
interface FoundTrace {
  readonly events: number;
  /** Hash of the last whole event. */
  readonly head: string;
  /** Bytes of all whole events, and of what stands behind them. */
  readonly bytes: number;
  readonly torn: number;
}

/**
 * Holds a trace against its seal; answers that, or undefined where there is none. `seal` was read before the trace, or one that is sealed meanwhile would seem
 * to have lost its end.
 * @throws DamagedError for a trace that is not the one that was sealed
 */
function checkSeal(folder: string, seal: Seal | undefined, found: FoundTrace): Seal | undefined {
  if (!seal) return undefined;
  const { events, head, bytes, torn } = found;
  if (seal.count === events && seal.head === head && seal.bytes === bytes && torn === 0) return seal;
  throw new DamagedError(
    `The trace in ${folder} does not fit its seal: sealed with ${seal.count} events in ${seal.bytes} bytes, found ${events} in ${bytes + torn}. Restore it from a copy.`,
  );
}

/** All lines of a trace, held against its seal once they are read. Throws as `readTrace`, and as `checkSeal`. */
export async function readWhole(
  folder: string,
  each: (line: ReadLine) => void,
): Promise<{ readonly seal: Seal | undefined; readonly torn: number }> {
  const seal = readSeal(folder);
  const found = { events: 0, head: "", bytes: 0, torn: 0 };
  for await (const lines of readTraceInParts(folder, ({ bytes }) => void (found.torn = bytes)))
    for (const line of lines) {
      found.events++;
      found.head = line.event.h;
      found.bytes = line.offset + line.length;
      each(line);
    }
  return { seal: checkSeal(folder, seal, found), torn: found.torn };
}
