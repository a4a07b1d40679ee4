import { join } from "node:path";
import { z } from "zod";
import type { Spent } from "../../harness/contract/run-result.ts";
import { DamagedError, ForgeError, messageOf } from "../../harness/errors.ts";
import type { TraceLine } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";
import { openBlobStore, type BlobStore } from "../format/blob-store.ts";
import { openReference } from "../format/decode.ts";
import { maxLineBytes } from "../format/line.ts";
import { LaterVersionError } from "../format/later-version.ts";
import { isPinned } from "../format/pin.ts";
import { readSeal } from "../format/seal.ts";
import { writerOf } from "../format/writer-claim.ts";
import { notKnownIn, type NotKnown } from "./imported.ts";
import { longTail } from "./long-line.ts";
import { parentSchema, type RunParent } from "./run-parent.ts";
import { laterEvent } from "./read-trace.ts";
import { tornTailOf, type TornTail } from "./torn-tail.ts";
import { openTraceBytes, touchedAt as traceTouchedAt, type TraceBytes } from "./trace-bytes.ts";

/** A run in one line: what its first and last events say, without looking at those between. Nothing of it is checked against a hash. */
export interface RunOverview {
  readonly folder: string;
  /** `cut off`: neither sealed nor being written. `empty`: no whole event. `unreadable`: nothing is wrong as far as it goes, but a payload is missing, or the disk does not give it. `damaged`, `unreadable`, `later version`: see `why`. */
  readonly state: "sealed" | "running" | "cut off" | "empty" | "damaged" | "unreadable" | "later version";
  /** A sentence, where the run cannot be read. */
  readonly why?: string;
  /** Unix milliseconds of the first event; of the file where it cannot be read. */
  readonly startedAt: number;
  /** Of the trace's last change. */
  readonly touchedAt: number;
  /** The task's name, or the beginning of what was asked. */
  readonly task: string;
  readonly configuration: string;
  readonly model: string;
  /** `configured`, or who solved the task instead. */
  readonly agent: string;
  readonly outcome?: string;
  /** What the verifier said; undefined where none did. */
  readonly passed?: boolean;
  readonly spent?: Spent;
  /** Uncompressed, payloads apart. */
  readonly bytes: number;
  readonly pinned: boolean;
  /** Its process ended before it was done with the trace, and a later one sealed it. */
  readonly recovered?: true;
  /** What of a run without a seal stands behind its last whole line. */
  readonly torn?: TornTail;
  /** Hash of the first event: the same for every copy of a run, and for no other run. */
  readonly start: string;
  /** Of a run that went on from another. */
  readonly parent?: RunParent;
  /** What the source of an imported run could not tell, where its reader says so: in its place above stands an empty value. */
  readonly notKnown?: readonly NotKnown[];
}

/** What runs are sorted, counted and named by. A list of thousands shows few of them. */
export type RunHead = Pick<RunOverview, "folder" | "state" | "startedAt" | "start" | "why" | "torn">;

const word = z.string().catch("");
const startSchema = z.looseObject({
  meta: z
    .looseObject({
      agent: word,
      trial: z.looseObject({ task: word, configuration: word }).optional().catch(undefined),
      parent: parentSchema.optional().catch(undefined),
    })
    .catch({ agent: "" }),
});
const spentSchema = z.object({
  turns: z.number(),
  input: z.number(),
  output: z.number(),
  cached: z.number(),
  costUsd: z.number().nullable(),
  activeMs: z.number(),
});
const outcomeSchema = z.looseObject({ type: z.string(), limit: word.optional(), kind: word.optional() });
/** What the last events are looked for in; a run's end is never far from the end of the file. */
const tails = [16 * 1024, maxLineBytes];

/** Reads the ends of a run's trace. Never throws for what it finds there: a damaged run is one of the states. */
export async function runOverview(folder: string): Promise<RunOverview> {
  const none = { task: "", configuration: "", model: "", agent: "", bytes: 0, pinned: isPinned(folder), start: "" };
  let touchedAt = 0;
  try {
    touchedAt = traceTouchedAt(folder); // first: of a run that cannot be opened it is known too
    const seal = readSeal(folder); // before the trace, which may be sealed just now
    const source = openTraceBytes(folder);
    const shared = { ...none, folder, touchedAt, bytes: source.bytes };
    if (seal && seal.bytes !== source.bytes)
      return {
        ...shared,
        startedAt: touchedAt,
        state: "damaged",
        why: `The trace in ${folder} has ${source.bytes} bytes and was sealed with ${seal.bytes}. Restore it from a copy.`,
      };
    const first = await firstLine(source);
    const state = seal ? "sealed" : writerOf(folder) ? "running" : "cut off";
    const torn = seal ? null : await tornTailOf(source);
    const found = { ...shared, ...(torn ? { torn } : {}) };
    if (!first) return { ...found, startedAt: touchedAt, state: state === "running" ? state : "empty" };
    return { ...found, state, startedAt: first.ts, start: first.h, ...said(first, folder), ...(await ended(source)) };
  } catch (error) {
    if (!(error instanceof ForgeError) && !(error instanceof Error && "syscall" in error)) throw error;
    return {
      ...none,
      folder,
      touchedAt,
      startedAt: touchedAt,
      state: error instanceof DamagedError ? "damaged" : error instanceof LaterVersionError ? "later version" : "unreadable",
      why: messageOf(error),
    };
  }
}

type Said = Pick<RunOverview, "task" | "configuration" | "model" | "agent" | "parent" | "notKnown">;

function said(first: TraceLine, folder: string): Said {
  const blobs = openBlobStore(join(folder, "blobs"));
  const { meta } = startSchema.parse({ meta: opened(first.d, "meta", blobs) });
  const notKnown = [...notKnownIn({ imported: opened(opened(first.d, "meta", blobs), "imported", blobs) })];
  const config = opened(first.d, "config", blobs);
  const input = opened(first.d, "input", blobs);
  return {
    task: meta.trial?.task ?? text(openReference(input["task"], (hash) => blobs.get(hash))).slice(0, 200),
    configuration: meta.trial?.configuration ?? text(config["name"]),
    model: text(opened(config, "model", blobs)["name"]),
    agent: meta.agent,
    ...(meta.parent ? { parent: meta.parent } : {}),
    ...(notKnown.length > 0 ? { notKnown } : {}),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** A member of recorded data, put back where it is a payload. What is no object reads as one without members. */
function opened(of: JsonObject, key: string, blobs: BlobStore): JsonObject {
  const value = openReference(of[key], (hash) => blobs.get(hash));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

async function firstLine(source: TraceBytes): Promise<TraceLine | undefined> {
  for (const length of [16 * 1024, maxLineBytes + 1]) {
    const bytes = await source.range(0, length);
    const end = bytes.indexOf(0x0a);
    if (end >= 0) {
      refuseLater(source, bytes.subarray(0, end), 0);
      return parse(bytes.subarray(0, end));
    }
    if (bytes.length < length) return undefined;
  }
  await longTail(source, 0);
  return undefined;
}

/** Whole lines of a later version among those of a piece of the trace, which begins with one where it is its first. */
function refuseLater(source: TraceBytes, bytes: Uint8Array, from: number): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"); // a character a byte
  for (const { index, 1: start, 2: version, 3: seq } of text.matchAll(/(^|\n)\{"v":(?!1[,}])(\d{1,15})(?:,"seq":(\d{1,15}))?[,}]/g)) {
    if (start === "" && from > 0) continue;
    const offset = from + index + (start ?? "").length;
    if (Number(version) > 1)
      throw laterEvent(Number(version), { path: source.path, offset, ...(seq === undefined ? {} : { seq: Number(seq) }) });
  }
}

async function ended(source: TraceBytes): Promise<Partial<RunOverview>> {
  let found: { outcome?: string; passed?: boolean; spent?: Spent; recovered?: true } = {};
  for (const length of tails) {
    const from = Math.max(0, source.bytes - length);
    const bytes = await source.range(from, length);
    refuseLater(source, bytes, from);
    const lines = new TextDecoder().decode(bytes).split("\n");
    const whole = (from === 0 ? lines : lines.slice(1)).filter((line) =>
      /^\{"v":1,"seq":\d+,"t":"(?:run\.end|verifier\.result|recovered)"/.test(line),
    );
    found = {};
    for (const event of whole.map((line) => parse(Buffer.from(line)))) {
      if (event?.t === "verifier.result" && typeof event.d["passed"] === "boolean") found.passed = event.d["passed"];
      if (event?.t === "recovered") found.recovered = true;
      if (event?.t !== "run.end" || event.lane !== "main") continue;
      const outcome = outcomeSchema.safeParse(event.d["outcome"]).data;
      const spent = spentSchema.safeParse(event.d["spent"]).data;
      if (outcome) found.outcome = [outcome.type, outcome.limit ?? outcome.kind].filter(Boolean).join(" ");
      if (spent) found.spent = spent;
    }
    if (found.outcome !== undefined || from === 0) break;
  }
  return found;
}

/** As far as it is read here; all of a line is looked at by `readTrace`. */
function isLine(value: unknown): value is TraceLine {
  if (typeof value !== "object" || value === null) return false;
  const { t, lane, ts, h, d } = value as Partial<Record<keyof TraceLine, unknown>>; // any of them may be missing
  const words = typeof t === "string" && typeof lane === "string" && typeof h === "string" && typeof ts === "number";
  return words && typeof d === "object" && d !== null && !Array.isArray(d);
}

function parse(bytes: Uint8Array): TraceLine | undefined {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isLine(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
