import { setTimeout as wait } from "node:timers/promises";
import { maxLineBytes } from "../format/line.ts";
import { readSeal } from "../format/seal.ts";
import { writerOf } from "../format/writer-claim.ts";
import { longTail, tooLong } from "./long-line.ts";
import { createLineChecker, type ReadLine } from "./read-trace.ts";
import type { TornTail } from "./torn-tail.ts";
import { openTraceBytes } from "./trace-bytes.ts";

/** Milliseconds between two looks at the file. */
const pauseMs = 200;
const pieceBytes = 256 * 1024;

/** How a trace that was followed ended. */
export interface FollowedEnd {
  /** `cut off`: without a seal, and nobody writes it any more. */
  readonly state: "sealed" | "cut off";
  /** What stands behind the last whole event, left out; null: nothing. */
  readonly torn: TornTail | null;
}

/**
 * The lines of a trace as they are written, each checked as `readTrace` does; those that are there come first. Ends with the trace, or when `signal` is
 * aborted (then it throws its reason). A line that is only half written is waited for.
 * @throws DamagedError as `readTrace` does
 */
export async function* followTrace(folder: string, o: { readonly signal: AbortSignal }): AsyncGenerator<ReadLine, FollowedEnd> {
  const check = createLineChecker(openTraceBytes(folder).path);
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    o.signal.throwIfAborted();
    // asked before the bytes are read: what was written until then is seen
    const over: FollowedEnd["state"] | undefined = readSeal(folder) ? "sealed" : writerOf(folder) ? undefined : "cut off";
    for (;;) {
      const source = openTraceBytes(folder); // it may be compressed meanwhile
      const piece = Buffer.from(await source.range(offset + rest.length, pieceBytes));
      if (piece.length === 0) break;
      rest = Buffer.concat([rest, piece]);
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
        yield check({ bytes: rest.subarray(0, end), offset });
        offset += end + 1;
        rest = rest.subarray(end + 1);
      }
      if (rest.length <= maxLineBytes) continue;
      if (!over) throw tooLong(source.path, offset); // whoever writes that is no Forge
      return { state: over, torn: await longTail(source, offset) };
    }
    if (over) return { state: over, torn: rest.length > 0 ? { offset, bytes: rest.length } : null };
    await wait(pauseMs, undefined, { signal: o.signal }).catch(() => o.signal.throwIfAborted());
  }
}
