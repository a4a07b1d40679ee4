import { DamagedError } from "../../harness/errors.ts";
import type { TraceBytes } from "./trace-bytes.ts";

/** What stands behind the last whole event of a trace: a line without its end, as a killed process leaves one. */
export interface TornTail {
  /** In the uncompressed trace. */
  readonly offset: number;
  readonly bytes: number;
}

const pieceBytes = 1024 * 1024;

/** What stands behind the last newline of a trace, found from its end; null: nothing. Whether the lines before are whole is not looked at. */
export async function tornTailOf(source: Pick<TraceBytes, "bytes" | "range">): Promise<TornTail | null> {
  let end = source.bytes;
  for (let newline = -1; end > 0 && newline < 0;) {
    const from = Math.max(0, end - (end === source.bytes ? 16 * 1024 : pieceBytes));
    newline = Buffer.from(await source.range(from, end - from)).lastIndexOf(0x0a);
    end = from + newline + 1;
  }
  return end < source.bytes ? { offset: end, bytes: source.bytes - end } : null;
}

/** What every reader says of it: what a recording lost is never left out in silence. `writing`: the run is still going, and the line may get its end. */
export function tornText({ offset, bytes }: TornTail, o: { readonly writing?: boolean } = {}): string {
  const line = o.writing ? "a line that is still being written" : "a torn line";
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"} behind the whole events, from offset ${offset}, are ${line} and were left out`;
}

/** In a trace that was sealed, nothing is torn: something was done to it afterwards. `path`: of its file. */
export const tornSeal = (path: string, { offset, bytes }: TornTail): DamagedError =>
  new DamagedError(
    `${path} is sealed, and ${bytes} ${bytes === 1 ? "byte" : "bytes"} from offset ${offset} are no whole event. Restore it from a copy; everything before it is whole.`,
  );
