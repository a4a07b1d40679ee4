import { DamagedError } from "../../harness/errors.ts";
import type { TornTail } from "./torn-tail.ts";
import type { TraceBytes } from "./trace-bytes.ts";

const pieceBytes = 1024 * 1024;

/** No event is that long: whatever it was, it is not one. */
export const tooLong = (path: string, offset: number): DamagedError =>
  new DamagedError(
    `${path}: the line at byte ${offset} is longer than 1 MiB. Restore the trace from a copy; everything before it is whole.`,
  );

/** Looks how a line over 1 MiB ends, which may be larger than memory: with the file, then it is torn like any other. @throws DamagedError where it has an end */
export async function longTail(source: TraceBytes, offset: number): Promise<TornTail> {
  for (let bytes = 0; ;) {
    const piece = await source.range(offset + bytes, pieceBytes);
    if (piece.length === 0) return { offset, bytes };
    if (piece.includes(0x0a)) throw tooLong(source.path, offset);
    bytes += piece.length;
  }
}
