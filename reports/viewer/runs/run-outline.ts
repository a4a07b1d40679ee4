import { isIntervention } from "../../../harness/events/is-intervention.ts";
import { join } from "node:path";
import { DamagedError, ForgeError, messageOf } from "../../../harness/errors.ts";
import type { RunEvent, TraceLine } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { longTail } from "../../../traces/read/long-line.ts";
import { isEvent, createLineChecker, type ReadLine } from "../../../traces/read/read-trace.ts";
import type { TornTail } from "../../../traces/read/torn-tail.ts";
import { openTraceBytes } from "../../../traces/read/trace-bytes.ts";
import { createTurnSums, type TurnSums } from "../../../traces/read/turns.ts";
import { openBlobStore } from "../../../traces/format/blob-store.ts";
import { decodeData } from "../../../traces/format/decode.ts";
import { maxLineBytes } from "../../../traces/format/line.ts";
import { createTurnCounter } from "../../../traces/read/turn-counter.ts";
import { callDiff } from "../../content/call-diff.ts";
import { storyEntry, storyResult, type StoryEntry } from "../../content/story-entry.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { CutText } from "../api.ts";
import { cutText } from "./cut-text.ts";

/** Where the bytes of an event's line stand. */
interface Where {
  readonly offset: number;
  readonly length: number;
}

/** An entry without its texts but for their beginnings. */
export interface OutlineEntry extends Omit<StoryEntry, "body" | "result"> {
  readonly turn: number;
  /** Microseconds since the run's start. */
  readonly dt: number;
  readonly body: CutText;
  readonly where: Where;
  result?: { readonly head: string; readonly seq: number; readonly body: CutText; readonly where: Where };
}

export interface OutlineTurn {
  readonly turn: number;
  /** Index of its first entry, or of the next one's where it has none. */
  readonly entry: number;
  readonly sums: () => TurnSums;
}

/** A run as its pages need it: every event was looked at once and checked, and what is kept does not grow with the length of its texts. */
export interface RunOutline {
  readonly folder: string;
  readonly entries: readonly OutlineEntry[];
  readonly turns: readonly OutlineTurn[];
  /** Numbers of entries in which a middleware intervened. */
  readonly interventions: readonly number[];
  readonly events: () => number;
  /** The events that tell what the run was and how it ended. */
  readonly told: { start?: JsonObject; end?: JsonObject; verdict?: JsonObject; request?: JsonObject; begun?: number; id: string };
  /** What stands behind the last whole event; null: nothing. */
  readonly torn: () => TornTail | null;
  /** A sentence, where the trace cannot be read to its end. */
  readonly damaged: () => string | undefined;
  /** Reads what has been written since. */
  grow(): Promise<void>;
  /** The entry in which an event is told. */
  entryOf(seq: number): number;
  /** The event of a line, as it is recorded. */
  eventAt(where: Where): Promise<RunEvent & { readonly seq: number }>;
}

const pieceBytes = 1024 * 1024;
/** What a list shows of a text before it is opened. */
const shown = { lines: 12, characters: 1600 };
const shownOfResult = { lines: 8, characters: 1000 };

export function createRunOutline(folder: string): RunOutline {
  const blobs = openBlobStore(join(folder, "blobs"));
  const check = createLineChecker(openTraceBytes(folder).path);
  const counter = createTurnCounter();
  const entries: OutlineEntry[] = [];
  const turns: { turn: number; entry: number; sums: () => TurnSums; add: (event: RunEvent) => void }[] = [];
  const interventions: number[] = [];
  const calls = new Map<string, number>();
  const results = new Map<number, number>();
  const told: RunOutline["told"] = { id: "" };
  let [offset, events] = [0, 0];
  let torn: TornTail | null = null;
  let damaged: string | undefined;
  let growing: Promise<void> | undefined;

  const decoded = (line: TraceLine, plain: boolean): JsonObject =>
    plain ? line.d : decodeData(line.d, (hash) => blobs.get(hash), `event ${line.seq}`);

  function add({ event: line, plain, ...where }: ReadLine): void {
    events++;
    if (line.seq === 0) Object.assign(told, { begun: line.ts, id: line.h });
    let d: JsonObject;
    try {
      d = decoded(line, plain);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      entries.push({ kind: "trouble", seq: line.seq, lane: "", head: `event ${line.seq} cannot be read: ${oneLine(messageOf(error))}`, body: cutText("", shown), turn: counter.turn(), dt: line.dt, where }); // prettier-ignore
      return;
    }
    const event = { ...line, d };
    counter.see(event);
    const last = turns.at(-1);
    if (!last || last.turn !== counter.turn()) {
      const sums = createTurnSums();
      turns.push({ turn: counter.turn(), entry: entries.length, sums: sums.result, add: sums.add });
    }
    turns.at(-1)?.add(event);
    note(event);
    if (event.t === "tool.result" && addResult(event, where)) return;
    const entry = storyEntry(event);
    if (!entry) return;
    if (event.t === "tool.call") calls.set(`${event.lane}#${event.n}`, entries.length);
    if (isIntervention(event)) interventions.push(entries.length);
    const { body, result: _none, ...rest } = entry; // its result comes later, if at all
    const diff = event.t === "tool.call" ? callDiff(d) : undefined;
    const cut = diff === undefined ? cutText(body, shown) : { ...cutText(diff, { lines: 40, characters: 4000 }), diff: true as const };
    entries.push({ ...rest, body: cut, turn: counter.turn(), dt: line.dt, where });
  }

  /** Whether there is the call that it answers. */
  function addResult(event: TraceLine, where: Where): boolean {
    const index = calls.get(String(event.cause[0]));
    const entry = index === undefined ? undefined : entries[index];
    if (index === undefined || !entry || entry.result) return false;
    const { head, body } = storyResult(event);
    entry.result = { head, seq: event.seq, body: cutText(body, shownOfResult), where };
    results.set(event.seq, index);
    return true;
  }

  function note({ t, lane, d }: RunEvent): void {
    if (t === "run.start" && lane === "main") told.start = d;
    if (t === "run.end" && lane === "main") told.end = d;
    if (t === "verifier.result") told.verdict = d;
    if (t === "model.request") told.request ??= d;
  }

  /** A line that is only half written is left for the next time. */
  async function read(): Promise<void> {
    const source = openTraceBytes(folder); // it may be compressed meanwhile
    let rest: Buffer = Buffer.alloc(0);
    while (damaged === undefined) {
      const piece = Buffer.from(await source.range(offset + rest.length, pieceBytes));
      if (piece.length === 0) {
        torn = rest.length > 0 ? { offset, bytes: rest.length } : null;
        return;
      }
      rest = Buffer.concat([rest, piece]);
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
        add(check({ bytes: rest.subarray(0, end), offset }));
        offset += end + 1;
        rest = rest.subarray(end + 1);
      }
      if (rest.length > maxLineBytes) {
        torn = await longTail(source, offset);
        return;
      }
    }
  }

  return {
    folder,
    entries,
    turns,
    interventions,
    told,
    events: () => events,
    torn: () => torn,
    damaged: () => damaged,
    grow() {
      growing = (growing ?? Promise.resolve()).then(read).catch((error: unknown) => {
        if (!(error instanceof ForgeError)) throw error;
        damaged = oneLine(messageOf(error));
      });
      return growing;
    },
    entryOf: (seq) => results.get(seq) ?? lastUpTo(entries, seq),
    async eventAt({ offset: from, length }) {
      const line: unknown = JSON.parse(new TextDecoder().decode(await openTraceBytes(folder).range(from, length)));
      if (!isEvent(line)) throw new DamagedError(`${folder} has changed since it was read; load the page again.`);
      return { ...line, d: decoded(line, false) };
    },
  };
}

/** The last entry that begins at or before an event. */
function lastUpTo(entries: readonly OutlineEntry[], seq: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
