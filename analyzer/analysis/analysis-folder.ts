import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { lockRunner } from "../../evals/job/runner-lock.ts";
import { openJournal, type Journal } from "../../evals/job/journal.ts";
import type { Clock } from "../../harness/contract/ports.ts";
import { DamagedError } from "../../harness/errors.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import type { JsonObject } from "../../harness/json.ts";
import { leftOutSchema, type LeftOut } from "../contract.ts";
import { readingSchema, type Reading } from "../analyst/read-failed-runs.ts";
import { baseConfigSchema, type BaseConfig } from "../proposals/base-config.ts";
import { runLineSchema, type RunLine } from "./run-line.ts";

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
  let journal: Journal;
  try {
    journal = await openJournal(file);
  } catch (error) {
    await lock.release();
    throw error;
  }
  const seal = sealSchema.safeParse(journal.past.at(-1));
  const lines = createLineDigest(seal.success ? journal.past.slice(0, -1) : journal.past);
  if (seal.success && (seal.data.lines !== lines.count() || seal.data.sha256 !== lines.digest())) {
    await journal.close();
    await lock.release();
    throw new DamagedError(`${file} was changed after it was sealed; remove its folder, and forge analyze makes it again.`);
  }
  const runs = new Map<string, RunLine>();
  const leftOut = new Map<string, LeftOut & { digest: string }>();
  const bases = new Map<string, BaseConfig>();
  const readings = new Map<string, Reading>();
  for (const line of journal.past) {
    const reading = line["t"] === "analyst" ? readingSchema.safeParse(line).data : undefined;
    if (reading) readings.set(reading.run, reading);
    const run = line["t"] === "run" ? runLineSchema.safeParse(line).data : undefined;
    if (run) runs.set(run.run, run);
    const left = line["t"] === "left-out" ? leftOutLine.safeParse(line).data : undefined;
    if (left) leftOut.set(left.run, { run: left.run, why: left.why, digest: left.digest });
    const base = line["t"] === "configuration" ? baseLine.safeParse(line).data : undefined;
    if (base) bases.set(base.hash, { name: base.name, hash: base.hash, model: base.model, file: base.file });
  }
  return {
    path,
    runs,
    leftOut,
    bases,
    readings,
    sealed: seal.success,
    async add(line) {
      lines.add(line);
      await journal.add(line);
    },
    async seal(result) {
      // a process that was killed between the two lines has written the result
      if (lines.last() !== JSON.stringify(result)) {
        lines.add(result);
        await journal.add(result);
      }
      await journal.add({ t: "seal", lines: lines.count(), sha256: lines.digest() });
    },
    async close() {
      await journal.close();
      await lock.release();
    },
  };
}

/** SHA-256 of lines that are added one by one: of ten thousand runs they need not be in memory. */
function createLineDigest(begin: readonly JsonObject[]): {
  add(line: JsonObject): void;
  count(): number;
  /** As JSON. */
  last(): string;
  digest(): string;
} {
  const hash = createHash("sha256");
  let [count, last] = [0, ""];
  const add = (line: JsonObject): void => {
    last = JSON.stringify(line);
    hash.update(`${last}\n`);
    count++;
  };
  for (const line of begin) add(line);
  return { add, count: () => count, last: () => last, digest: () => hash.copy().digest("hex") };
}
