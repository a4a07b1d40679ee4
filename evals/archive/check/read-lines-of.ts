import { createReadStream } from "node:fs";
import { DamagedError } from "../../../harness/errors.ts";

const longest = 16 * 1024 ** 2;

/** The lines of a text file without their newlines; what stands behind the last newline is no line. Memory stays flat. @throws DamagedError for a line over 16 MiB. */
export async function* readLinesOf(path: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    let bytes = Buffer.concat([rest, chunk as Buffer]); // a stream without an encoding gives buffers
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a)) {
      yield bytes.toString("utf8", 0, end);
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > longest) throw new DamagedError(`${path} has a line longer than 16 MiB.`);
    rest = bytes;
  }
}
