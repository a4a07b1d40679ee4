import { type CannotError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { TraceLine } from "../../harness/events/schema.ts";
import { isObject } from "../../harness/json.ts";
import { laterThanOurs, laterVersion } from "../format/later-version.ts";
import { firstHash, laneDigest, maxLineBytes, tailBytes } from "../format/line.ts";
import { readLines, type RawLine } from "./read-lines.ts";
import type { TornTail } from "./torn-tail.ts";
import { openTraceBytes } from "./trace-bytes.ts";

export interface ReadLine {
  /** Nothing of `d` stands for something else, and it is not nested deep: it need not be decoded. */
  readonly plain: boolean;
  /** `d` as encoded: blobs are references. */
  readonly event: TraceLine;
  readonly offset: number;
  /** Bytes with the newline. */
  readonly length: number;
}

/**
 * The lines of a run's trace, compressed or not, each checked against its own hash, the one before it, and the order of `seq` and of its lane.
 * A torn tail (what a killed process left) ends the sequence and is told through `onTorn`; damage before it throws `DamagedError` with its offset.
 */
export async function* readTrace(folder: string, onTorn: OnTorn = () => undefined): AsyncGenerator<ReadLine> {
  for await (const lines of readTraceInParts(folder, onTorn)) yield* lines;
}

/** As `readTrace`, as many lines at a time as were read, each checked when it is asked for: without waiting for every one, which costs as much as parsing it. */
export async function* readTraceInParts(folder: string, onTorn: OnTorn): AsyncGenerator<Iterable<ReadLine>> {
  const source = openTraceBytes(folder);
  const check = createLineChecker(source.path);
  const checked = function* (lines: readonly RawLine[]): Generator<ReadLine> {
    for (const line of lines) {
      if (line.torn > 0) onTorn({ offset: line.offset, bytes: line.torn });
      else yield check(line);
    }
  };
  for await (const lines of readLines(source)) yield checked(lines);
}

type OnTorn = (torn: TornTail) => void;

/** Checks lines in their order, from the first of a trace on. `path` is for what is said of a damaged one. */
export function createLineChecker(path: string): (line: Pick<RawLine, "bytes" | "offset">) => ReadLine {
  let head = firstHash;
  let seq = 0;
  const lanes = new Map<string, { n: number; s: string }>();
  return ({ bytes, offset }) => {
    const bad = (what: string): DamagedError =>
      new DamagedError(
        `${path} is damaged at byte ${offset} (event ${seq}): ${what}. Restore it from a copy; everything before it is whole.`,
      );
    const later = (version: number): CannotError => laterEvent(version, { path, offset, seq });
    const { event, data, hash } = parseLine(bytes, { head, bad, later });
    const lane = lanes.get(event.lane) ?? { n: 0, s: firstHash };
    if (event.seq !== seq) throw bad(`expected event ${seq}, found ${event.seq}`);
    if (event.n !== lane.n) throw bad(`expected ordinal ${lane.n} of lane ${event.lane}, found ${event.n}`);
    if (event.prev !== head) throw bad("the hash of the event before does not fit");
    if (hash === undefined) throw bad("the event does not fit its hash");
    const s = laneDigest(lane.s, event, data);
    if (event.s !== s) throw bad("the lane digest does not fit");
    lanes.set(event.lane, { n: lane.n + 1, s });
    head = hash;
    seq++;
    return { event, plain: isPlain(data), offset, length: bytes.length + 1 };
  };
}

/** Filled again for each line: a buffer of its own for each would have to be collected. */
const hashed = Buffer.allocUnsafe(firstHash.length + maxLineBytes);

/** The hash of a line: over that of the line before, and all its bytes but the tail. */
function hashAfter(head: string, bytes: Buffer): string {
  hashed.write(head, "latin1");
  const covered = Math.max(0, bytes.length - tailBytes);
  bytes.copy(hashed, firstHash.length, 0, covered);
  return sha256(hashed.subarray(0, firstHash.length + covered));
}

/** Opening brackets of a line that cannot be nested too deep for anybody; of others decoding finds out. Each has to be closed again. */
const fewBrackets = 1_000;

/** A key that decoding looks at, `$blob` or one that is escaped, or might be once its own escapes are read; any other text with a `$` is common in what shells say. */
const meant = /"\$[$\\b]/;
/** A text that begins with an escape may be such a key, its `$` escaped too: nobody writes that, and it is looked at all the same. */
const escapedStart = '"\\u';

function isPlain(data: string): boolean {
  if ((data.includes('"$') && meant.test(data)) || data.includes(escapedStart)) return false;
  if (data.length < 2 * fewBrackets) return true;
  let opened = 0;
  for (const bracket of "[{")
    for (let at = data.indexOf(bracket); at >= 0 && opened < fewBrackets; at = data.indexOf(bracket, at + 1)) opened++;
  return opened < fewBrackets;
}

/** A line as it stands, read but not compared with those around it. */
export interface ParsedLine {
  readonly event: TraceLine;
  readonly text: string;
  /** The event's data exactly as they stand in the line. */
  readonly data: string;
  /** Of the line; undefined where it does not end with it. */
  readonly hash: string | undefined;
}

/**
 * @param head the hash of the line before
 * @throws what `bad` makes of what is wrong, and `later` of an event of a later version, which only one that fits its hash is believed to be
 */
export function parseLine(
  bytes: Uint8Array,
  { head, bad, later }: { head: string; bad: (what: string) => DamagedError; later: (version: number) => CannotError },
): ParsedLine {
  if (bytes.length > maxLineBytes) throw bad("a line longer than 1 MiB");
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw bad("a line that is not JSON");
  }
  const made = hashAfter(head, buffer);
  const hash = text.endsWith(`,"h":"${made}"}`) ? made : undefined;
  const start = text.indexOf(',"d":{');
  const end = text.lastIndexOf(',"s":"');
  const version = laterThanOurs(event);
  if (version !== undefined) {
    if (hash !== undefined) throw later(version);
    throw bad(
      `the event has version ${version} and does not fit its hash, unless that version has another one (this Forge reads version 1)`,
    );
  }
  if (!isEvent(event) || start < 0 || end < start) throw bad("a line that is not an event of trace version 1");
  return { event, text, data: text.slice(start + 5, end), hash };
}

/** `path`: of the trace's file. */
export const laterEvent = (version: number, { path, offset, seq }: { path: string; offset: number; seq?: number }): CannotError =>
  laterVersion(`${path}: what is at byte ${offset}${seq === undefined ? "" : ` (event ${seq})`}`, version);

/** All that readers rely on; ordinals and hashes are compared with what they must be. */
export function isEvent(value: unknown): value is TraceLine {
  if (!isObject(value)) return false;
  const { v, t, lane, ts, dt, cause, d } = value;
  const named = v === 1 && typeof t === "string" && typeof lane === "string";
  const timed = typeof ts === "number" && typeof dt === "number";
  return named && timed && Array.isArray(cause) && cause.every((one) => typeof one === "string") && isObject(d);
}
