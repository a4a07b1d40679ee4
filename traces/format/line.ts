import { sha256 } from "../../harness/hash/sha256.ts";
import type { RunEvent } from "../../harness/events/schema.ts";

/** The last bytes of every line, `,"h":"<64 hex>"}`: what `h` itself does not cover. */
export const tailBytes = 72;
/** A line is at most this long, newline left out. */
export const maxLineBytes = 1024 * 1024;
/** `prev` of the first line and of each lane's first digest. */
export const firstHash = "0".repeat(64);

/** The chained, time-free digest of a lane: equal digests mean equal lanes up to here. `data` is the event's data as encoded. */
export function laneDigest(before: string, event: Pick<RunEvent, "t" | "lane" | "n">, data: string): string {
  return sha256(`${before}{"t":${JSON.stringify(event.t)},"lane":${JSON.stringify(event.lane)},"n":${event.n},"d":${data}}`);
}

/** One line without its newline. Keys stand in a fixed order, so that a scanner can route it by its first bytes. */
export function formatLine(
  event: RunEvent,
  o: { seq: number; ts: number; dt: number; data: string; s: string; prev: string },
): { line: string; hash: string } {
  const head =
    `{"v":1,"seq":${o.seq},"t":${JSON.stringify(event.t)},"lane":${JSON.stringify(event.lane)},"n":${event.n},"ts":${o.ts},"dt":${o.dt},` +
    `"cause":${JSON.stringify(event.cause)},"d":${o.data},"s":"${o.s}","prev":"${o.prev}"`;
  const hash = sha256(o.prev + head);
  return { line: `${head},"h":"${hash}"}`, hash };
}
