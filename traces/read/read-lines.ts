import { maxLineBytes } from "../format/line.ts";
import { tooLong } from "./long-line.ts";
import type { TraceBytes } from "./trace-bytes.ts";

/** A line's bytes without its newline, and where it starts. */
export interface RawLine {
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** Of a line that the file ends in, without a newline: how many bytes it has, which are not handed on; 0 for a whole one. */
  readonly torn: number;
}

/**
 * The lines of a trace's bytes, split on byte 0x0A only, as many at a time as were read. Memory stays flat: a
 * line over 1 MiB is damage, told with its offset, unless the file ends in it: then it is torn like any other, since no event is that long.
 */
export async function* readLines({ path, chunks }: Pick<TraceBytes, "path" | "chunks">): AsyncGenerator<readonly RawLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  let dropped = 0; // bytes of a line that is not kept any more
  for await (const chunk of chunks()) {
    if (dropped > 0) {
      if (chunk.includes(0x0a)) throw tooLong(path, offset);
      dropped += chunk.length;
      continue;
    }
    const buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a, start)) {
      lines.push({ bytes: buffer.subarray(start, end), offset: offset + start, torn: 0 });
      start = end + 1;
    }
    if (lines.length > 0) yield lines;
    offset += start;
    rest = buffer.subarray(start);
    if (rest.length <= maxLineBytes) continue;
    dropped = rest.length;
    rest = Buffer.alloc(0);
  }
  const torn = dropped + rest.length;
  if (torn > 0) yield [{ bytes: Buffer.alloc(0), offset, torn }];
}
