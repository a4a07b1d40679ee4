import { DamagedError } from "../../harness/errors.ts";
import { maxLineBytes } from "../record/line.ts";
import type { TraceBytes } from "./trace-bytes.ts";

/** A line's bytes without its newline, and where it starts. `torn`: the file ends without the newline. */
export interface RawLine {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly torn: boolean;
}

/** The lines of a trace's bytes, split on byte 0x0A only, as many at a time as were read. Memory stays flat: a line over 1 MiB is damage, told with its offset. */
export async function* readLines({ path, chunks }: Pick<TraceBytes, "path" | "chunks">): AsyncGenerator<readonly RawLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const chunk of chunks()) {
    const buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a, start)) {
      lines.push({ bytes: buffer.subarray(start, end), offset: offset + start, torn: false });
      start = end + 1;
    }
    if (lines.length > 0) yield lines;
    offset += start;
    rest = buffer.subarray(start);
    if (rest.length > maxLineBytes) throw new DamagedError(`${path}: the line at byte ${offset} is longer than 1 MiB.`);
  }
  if (rest.length > 0) yield [{ bytes: rest, offset, torn: true }];
}
