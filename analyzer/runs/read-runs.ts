import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, relative } from "node:path";
import { createResultReader, type ResultReader } from "../../evals/job/results/published-results.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import { ForgeError, messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { readSeal } from "../../traces/format/seal.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { nameRuns } from "../../traces/read/run-name.ts";
import { runOverview } from "../../traces/read/run-overview.ts";
import type { LeftOut } from "../contract.ts";
import type { AnalyzedRun } from "./analyzed-run.ts";
import type { FoundRun } from "./find-sources.ts";
import { objectOf } from "./steps-of.ts";
import { viewRun } from "./view-run.ts";

/** A run that can be looked at, so far as its seal and its trial's record show. */
export interface ReadableRun extends FoundRun {
  readonly record: TrialRecord | undefined;
  /** The same for the same run with the same verdict, wherever it is stored. */
  readonly digest: string;
}

export const isLeftOut = (run: object): run is LeftOut => "why" in run;

export interface RunReader {
  /** Looks at the seal and the trial's result, and not at the trace. */
  inspect(found: FoundRun): Promise<ReadableRun | LeftOut>;
  /** The whole run: only one is in memory at a time where each is dropped before the next. */
  read(run: ReadableRun): Promise<AnalyzedRun | LeftOut>;
}

/** Reads runs one by one. A damaged, later, foreign or half-written one is left out with a sentence; nothing that a run holds makes this throw. */
export function createRunReader(): RunReader {
  const jobs = new Map<string, ResultReader>();
  const seen = new Map<string, string>();
  return {
    inspect: (found) =>
      leavingOut(found, async () => {
        if (found.changed) return leave(found, "Its files are not those that the archive was made with; get the archive again.");
        const seal = readSeal(found.folder);
        if (!seal) return leave(found, await whyUnsealed(found.folder));
        const other = seen.get(seal.head);
        if (other !== undefined && other !== found.name) return leave(found, `It is the same run as ${other}.`);
        const record = await recordOf(found, jobs);
        if (typeof record === "string") return leave(found, record);
        seen.set(seal.head, found.name);
        return { ...found, record, digest: sha256(JSON.stringify([seal.head, record?.class, record?.passed])) };
      }),
    read: (run) =>
      leavingOut(run, async () => {
        const trace = await loadTrace(run.folder);
        const agent = objectOf(trace.events[0]?.d["meta"])["agent"];
        if (agent === "oracle" || agent === "nop") return leave(run, `It is a run of the ${agent} agent, which no harness changes.`);
        return viewRun(trace, { name: run.name, record: run.record, report: await reportIn(run.folder) });
      }),
  };
}

const leave = ({ name }: { readonly name: string }, why: string): LeftOut => ({ run: name, why });

async function whyUnsealed(folder: string): Promise<string> {
  const { state, why } = await runOverview(folder);
  if (why !== undefined) return nameRuns(why);
  if (state === "running") return "It is still being written; wait for it to end.";
  if (state === "empty") return "Its trace holds no event of a run: another program wrote it, or its process ended at once.";
  return "It is half-written: its process ended before it was sealed; forge traces recover seals what is there.";
}

async function leavingOut<T>(found: FoundRun, read: () => Promise<T | LeftOut>): Promise<T | LeftOut> {
  try {
    return await read();
  } catch (error) {
    // a disk that does not give a file is told of the run, and the other runs are looked at
    if (error instanceof ForgeError || (error instanceof Error && "syscall" in error)) return leave(found, nameRuns(messageOf(error)));
    throw error;
  }
}

/** The record of a run's trial; undefined for a run of no job; a sentence where the run does not count. */
async function recordOf({ folder, trial }: FoundRun, jobs: Map<string, ResultReader>): Promise<TrialRecord | string | undefined> {
  if (!trial) return undefined;
  const reader = jobs.get(trial.job) ?? createResultReader(trial.job);
  jobs.set(trial.job, reader);
  const record = await reader.read(trial.path);
  if (!record) return "Its trial has no result: the job stopped before it was published; forge jobs resume continues it.";
  const inside = relative(join(trial.job, record.trace), folder);
  return inside.startsWith("..") ? `It is an earlier attempt: attempt ${record.attempt} gave the trial's result.` : record;
}

/** Of a verifier's output, as much as a report needs: its end, where the summary is. */
const reportBytes = 64 * 1024;

async function reportIn(folder: string): Promise<string> {
  const verifier = join(folder, "verifier");
  if (!existsSync(verifier)) return ""; // failing to open two files takes longer than reading a run
  const texts = await Promise.all(["stdout.txt", "stderr.txt"].map((name) => endOf(join(verifier, name))));
  return texts.filter((text) => text !== "").join("\n");
}

async function endOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return "";
  try {
    const { size } = await file.stat();
    const wanted = Math.min(size, reportBytes);
    if (wanted === 0) return "";
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, size - wanted);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
