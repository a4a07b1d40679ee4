import { ConfigError } from "../../harness/errors.ts";
import type { TrialRecord } from "../trial-record.ts";
import type { FinishedJob } from "./load-job.ts";

/** A trial, and the folder of its job. */
export interface ArmTrial {
  readonly record: TrialRecord;
  readonly folder: string;
}

/** What was measured of one configuration: its trials by task. */
export interface Arm {
  /** As it is shown: with its job's folder where two arms have the same. */
  readonly name: string;
  readonly configuration: string;
  /** Folders of the jobs it was measured in. */
  readonly jobs: readonly string[];
  readonly harnessHash: string;
  readonly model: string;
  /** Of the model with all that counts: name, fingerprint, sampling. */
  readonly modelHash: string;
  readonly forgeVersion: string;
  readonly simulated: boolean;
  readonly tasks: ReadonlyMap<string, readonly ArmTrial[]>;
  /** Trials that came twice (a job given twice, or one that a model repeats word for word) and count once. */
  readonly countedOnce: number;
}

/**
 * How a trial without a score counts: left out; as a failure; or against the claim, as a failure of the arm that seems better and a pass of the other.
 * A verdict must hold each way.
 */
export type InfraReading = "excluded" | "failed" | "against";

/**
 * The arms of one job or several, in the order in which they were asked for. With `pool` the same configuration in two jobs is one arm, which is
 * right only for jobs that can be compared; `apart` names a job whose arms are never pooled with others. Of two arms of the same name the later gets
 * its job's folder added.
 */
export function armsOf(jobs: readonly FinishedJob[], o: { pool: boolean; apart?: string | undefined }): Arm[] {
  const arms = new Map<string, Omit<Arm, "tasks" | "countedOnce" | "simulated"> & { trials: ArmTrial[]; jobs: string[] }>();
  const names = new Set<string>();
  for (const job of jobs) {
    const trials = trialsByConfiguration(job);
    for (const [configuration, { harnessHash, model, modelHash }] of Object.entries(job.lock.configurations)) {
      const { agent, forgeVersion } = job.lock;
      const place = o.pool ? String(job.folder === o.apart) : job.folder;
      const key = JSON.stringify([harnessHash, modelHash, agent, forgeVersion, place]);
      let arm = arms.get(key);
      if (!arm) {
        const name = names.has(configuration) ? `${configuration} (${job.folder})` : configuration;
        names.add(name);
        const served = `${model.provider}/${model.name}`;
        arm = { name, configuration, jobs: [], harnessHash, model: served, modelHash, forgeVersion, trials: [] };
        arms.set(key, arm);
      }
      if (!arm.jobs.includes(job.folder)) arm.jobs.push(job.folder);
      for (const trial of trials.get(configuration) ?? []) arm.trials.push(trial);
    }
  }
  return [...arms.values()].map(({ trials, ...arm }) => ({
    ...arm,
    simulated: trials.some(({ record }) => record.simulated),
    ...byTask(trials),
  }));
}

function trialsByConfiguration({ records, folder }: FinishedJob): Map<string, ArmTrial[]> {
  const trials = new Map<string, ArmTrial[]>();
  for (const record of records) {
    const some = trials.get(record.configuration);
    if (some) some.push({ record, folder });
    else trials.set(record.configuration, [{ record, folder }]);
  }
  return trials;
}

/** Two records of one trial (the same key) are two observations when the model said something else, else one. */
function byTask(trials: readonly ArmTrial[]): Pick<Arm, "tasks" | "countedOnce"> {
  const tasks = new Map<string, ArmTrial[]>();
  const seen = new Set<string>();
  for (const trial of trials) {
    const { key, replyDigest, startedAt, task } = trial.record;
    const said = `${key} ${replyDigest ?? startedAt}`;
    if (seen.has(said)) continue;
    seen.add(said);
    const cell = tasks.get(task);
    if (cell) cell.push(trial);
    else tasks.set(task, [trial]);
  }
  return { tasks, countedOnce: trials.length - seen.size };
}

/** Whether all repeats say the very same: by construction (temperature 0), or so often that they are no independent evidence. */
export function isOneObservation(trials: readonly ArmTrial[]): boolean {
  const first = trials[0]?.record;
  return (
    first !== undefined &&
    trials.length > 1 &&
    first.replyDigest !== null &&
    trials.every(({ record }) => record.replyDigest === first.replyDigest && record.score === first.score)
  );
}

/** The scores of one cell; repeats that are one observation count as one. `lost`: what a trial without a score counts, undefined to leave it out. */
export function scoresOf(trials: readonly ArmTrial[], lost?: number): number[] {
  const scores = trials.flatMap(({ record: { score } }) => (score !== null ? [score] : lost === undefined ? [] : [lost]));
  return isOneObservation(trials) ? scores.slice(0, 1) : scores;
}

/** Picks the arm that `--baseline` names; the first where it names none. */
export function baselineOf(arms: readonly Arm[], name: string | undefined): Arm {
  const arm = name === undefined ? arms[0] : arms.find((one) => one.name === name);
  if (!arm)
    throw new ConfigError(`--baseline: there is no configuration "${String(name)}"; there are ${arms.map((one) => one.name).join(", ")}.`);
  return arm;
}
