import { join } from "node:path";
import { jobLockSchema, type JobLock } from "../../evals/job/job-lock.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { readJson } from "../../harness/files/read-json.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { createRunReader, isLeftOut } from "../runs/read-runs.ts";
import { findSources } from "../runs/find-sources.ts";
import { partOf } from "./split.ts";

/** Runs that changes may be made from: of one configuration of a job, and of develop families alone. */
export interface DevelopRuns {
  /** The job's folder. */
  readonly job: string;
  readonly lock: JobLock;
  readonly configuration: string;
  /** Each run that may be read: what `forge analyze` takes, its digest, and its trial. */
  readonly runs: readonly { readonly run: string; readonly digest: string; readonly record: TrialRecord }[];
  /** Families of these runs. */
  readonly families: readonly string[];
  /** Runs that were refused before anything of their traces was read. */
  readonly refused: { readonly test: number; readonly otherConfigurations: number; readonly unreadable: number };
}

/**
 * The runs of a job that belong to develop families. Of a run of another family its trial's record is looked at, for the family's name, and nothing else.
 * @throws CannotError for what is no job, or has no run of a develop family; ConfigError where its configuration must be named
 */
export async function developRuns(source: string, named: string | undefined, signal: AbortSignal): Promise<DevelopRuns> {
  const found = await findSources([source], signal);
  const place = oneLine(source);
  const [job, ...others] = [...new Set(found.flatMap(({ trial }) => (trial ? [trial.job] : [])))];
  if (job === undefined || others.length > 0)
    throw new CannotError(
      `${place} ${job === undefined ? "holds no job" : `holds ${others.length + 1} jobs`}; name one job that forge bench made, or its archive.`,
    );
  const lock = await readJson(join(job, "lock.json"), jobLockSchema, "is not the lock of a job; give the folder that forge bench printed.");
  if (!lock) throw new CannotError(`${place} is no job's folder: it has no lock.json. Name the folder that forge bench printed.`);
  const configuration = configurationOf(place, Object.keys(lock.configurations), named);
  const reader = createRunReader();
  const runs: DevelopRuns["runs"][number][] = [];
  const refused = { test: 0, otherConfigurations: 0, unreadable: 0 };
  let withoutFamily = 0;
  for (const run of found) {
    signal.throwIfAborted();
    const looked = await reader.inspect(run);
    if (isLeftOut(looked) || !looked.record) refused.unreadable++;
    else if (looked.record.family === null) withoutFamily++;
    else if (looked.record.configuration !== configuration) refused.otherConfigurations++;
    else if (partOf(looked.record.family) === "test") refused.test++;
    else runs.push({ run: looked.name, digest: looked.digest, record: looked.record });
  }
  if (runs.length === 0) throw new CannotError(`${place}: ${whyNone(refused, withoutFamily)}`);
  const families = [...new Set(runs.map(({ record }) => record.family ?? ""))].toSorted();
  return { job, lock, configuration, runs, families, refused };
}

function whyNone({ test, otherConfigurations, unreadable }: DevelopRuns["refused"], withoutFamily: number): string {
  const cure =
    "Bench generated tasks first: forge task generate --family all --seeds 1..3 --level easy --out tasks, then forge bench tasks.";
  if (withoutFamily > 0) return `its tasks name no family, so nothing can be kept apart for a test on tasks of other families. ${cure}`;
  if (test > 0) return `all of its ${test} runs are of families that are kept for the test, and may not be read. ${cure}`;
  return `none of its ${otherConfigurations + unreadable} runs can be read. ${cure}`;
}

function configurationOf(place: string, names: readonly string[], named: string | undefined): string {
  const [only = ""] = names;
  if (named === undefined && names.length === 1) return only;
  if (named !== undefined && names.includes(named)) return named;
  const listed = names.map((name) => oneLine(name)).join(", ");
  throw new ConfigError(
    named === undefined
      ? `${place} has ${names.length} configurations (${listed}); name the one to improve with --config.`
      : `--config: ${place} has no configuration "${oneLine(named)}"; it has ${listed}.`,
  );
}
