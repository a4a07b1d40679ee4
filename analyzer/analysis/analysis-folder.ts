import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { lockRunner } from "../../evals/job/runner-lock.ts";
import { openJournal, type Journal, type PastLine } from "../../evals/job/journal.ts";
import type { Clock } from "../../harness/contract/ports.ts";
import { DamagedError } from "../../harness/errors.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import type { JsonObject } from "../../harness/json.ts";
import { leftOutSchema, type LeftOut } from "../contract.ts";
import { readingSchema, type Reading } from "../analyst/read-failed-runs.ts";
import { baseConfigSchema, type BaseConfig } from "../proposals/base-config.ts";
import type { ContrastRow } from "../contrast/contrast-row.ts";
import { createLineKeeper, writtenLineSchema, type RunLine, type WrittenLine } from "./run-line.ts";

/** The last line of a sealed analysis: nothing was added or changed since. */
const sealSchema = z.strictObject({ t: z.literal("seal"), lines: z.int(), sha256: z.string() });

/** An analysis on the disk: `analysis.jsonl`, a line a run, then its result, then its seal. */
export interface AnalysisFolder {
  readonly path: string;
  /** What an earlier process found, by run. */
  readonly runs: ReadonlyMap<string, RunLine>;
  readonly leftOut: ReadonlyMap<string, LeftOut & { readonly digest: string }>;
  readonly bases: ReadonlyMap<string, BaseConfig>;
  readonly readings: ReadonlyMap<string, Reading>;
  readonly sealed: boolean;
  add(line: JsonObject): Promise<void>;
  /** Adds a run. What the contrast compares of it is on the disk alone when `written` is. */
  addRun(line: WrittenLine): { readonly kept: RunLine; readonly written: Promise<void> };
  /** What the contrast compares of some runs, read from the disk; of one that cannot be compared nothing. */
  rowsOf(runs: readonly RunLine[]): ContrastRow[];
  /** Whether it can be compared. */
  hasRow(run: string): boolean;
  seal(result: JsonObject): Promise<void>;
  close(): Promise<void>;
}

const leftOutLine = leftOutSchema.extend({ t: z.literal("left-out"), digest: z.string() });
const baseLine = baseConfigSchema.extend({ t: z.literal("configuration") });

/**
 * Opens an analysis, or begins one; waits while another process works on the same. Of one that was broken off the whole lines stay.
 * @throws DamagedError for a file that was changed after it was written
 */
export async function openAnalysis(path: string, clock: Clock, signal: AbortSignal): Promise<AnalysisFolder> {
  await makeFolder(path, "hold an analysis");
  await mkdir(path, { recursive: true });
  const lock = await lockRunner(path, { clock, signal });
  const file = join(path, "analysis.jsonl");
  const past = createPast();
  let journal: Journal;
  let reading: number;
  try {
    journal = await openJournal(file, past.hear);
    reading = openSync(file, "r");
  } catch (error) {
    await lock.release();
    throw error;
  }
  const { lines, seal, rows, keep } = past;
  const close = async (): Promise<void> => {
    closeSync(reading);
    await journal.close();
    await lock.release();
  };
  if (seal() && !past.holds()) {
    await close();
    throw new DamagedError(`${file} was changed after it was sealed; remove its folder, and run forge analyze again.`);
  }
  let end = past.end();
  const append = (line: JsonObject): { readonly place: Place; readonly written: Promise<void> } => {
    const text = JSON.stringify(line);
    lines.add(text);
    const place = { start: end, bytes: Buffer.byteLength(text) };
    end += place.bytes + 1;
    return { place, written: journal.add(text) };
  };
  const { runs, leftOut, bases, readings } = past;
  return {
    path,
    runs,
    leftOut,
    bases,
    readings,
    sealed: seal() !== undefined,
    add: (line) => append(line).written,
    addRun(line) {
      const { place, written } = append(line as unknown as JsonObject); // plain data by its schema
      if (line.row) rows.set(line.run, place);
      return { kept: keep(line), written };
    },
    rowsOf: (of) =>
      of.flatMap(({ run }) => {
        const place = rows.get(run);
        // this process wrote the line or has checked it; the run's name is the one that is in memory already
        return place ? { ...((JSON.parse(textAt(reading, place)) as WrittenLine).row as ContrastRow), run } : [];
      }),
    hasRow: (run) => rows.has(run),
    async seal(result) {
      // a process that was killed between the two lines has written the result
      if (lines.last() !== JSON.stringify(result)) await append(result).written;
      await journal.add({ t: "seal", lines: lines.count(), sha256: lines.digest() });
    },
    close,
  };
}

type Place = Omit<PastLine, "line">;

function textAt(file: number, { start, bytes }: Place): string {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let done = 0; done < bytes;) {
    const read = readSync(file, buffer, done, bytes - done, start + done);
    if (read === 0)
      throw new DamagedError(`The analysis was cut while it was read, at byte ${start + done}; run the same command again to rebuild it.`);
    done += read;
  }
  return buffer.toString("utf8");
}

/** What earlier processes wrote, taken in line by line. */
function createPast() {
  const lines = createLineDigest();
  const keep = createLineKeeper();
  const rows = new Map<string, Place>();
  const runs = new Map<string, RunLine>();
  const leftOut = new Map<string, LeftOut & { digest: string }>();
  const bases = new Map<string, BaseConfig>();
  const readings = new Map<string, Reading>();
  let sealing: z.infer<typeof sealSchema> | undefined;
  let end = 0;
  return {
    lines,
    keep,
    rows,
    runs,
    leftOut,
    bases,
    readings,
    seal: () => sealing,
    holds: () => sealing?.lines === lines.count() && sealing.sha256 === lines.digest(),
    end: () => end,
    hear({ line, start, bytes }: PastLine): void {
      end = start + bytes + 1;
      if (sealing) lines.add(JSON.stringify(sealing)); // no last line
      sealing = sealSchema.safeParse(line).data;
      if (sealing) return;
      lines.add(JSON.stringify(line));
      const reading = line["t"] === "analyst" ? readingSchema.safeParse(line).data : undefined;
      if (reading) readings.set(reading.run, reading);
      const run = line["t"] === "run" ? writtenLineSchema.safeParse(line).data : undefined;
      if (run) runs.set(run.run, keep(run));
      if (run?.row) rows.set(run.run, { start, bytes });
      const left = line["t"] === "left-out" ? leftOutLine.safeParse(line).data : undefined;
      if (left) leftOut.set(left.run, { run: left.run, why: left.why, digest: left.digest });
      const base = line["t"] === "configuration" ? baseLine.safeParse(line).data : undefined;
      if (base) bases.set(base.hash, { name: base.name, hash: base.hash, model: base.model, file: base.file });
    },
  };
}

/** SHA-256 of lines that are added one by one: of ten thousand runs they need not be in memory. */
function createLineDigest(): {
  /** A line's JSON. */
  add(text: string): void;
  count(): number;
  /** As JSON. */
  last(): string;
  digest(): string;
} {
  const hash = createHash("sha256");
  let [count, last] = [0, ""];
  const add = (text: string): void => {
    last = text;
    hash.update(text).update("\n");
    count++;
  };
  return { add, count: () => count, last: () => last, digest: () => hash.copy().digest("hex") };
}
