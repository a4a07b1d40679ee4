import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { ConfigError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import type { FinishedJob } from "../job/results/load-job.ts";

/** What a comparison needs of a trial. Forge's own records have all of it; null is what another runner's results do not say. */
export interface MeasuredTrial extends Pick<
  TrialRecord,
  "task" | "repeat" | "score" | "passed" | "family" | "difficulty" | "costUsd" | "replyDigest"
> {
  readonly category?: string | undefined;
  /** `in` includes the cached ones. */
  readonly tokens: { readonly in: number | null; readonly out: number | null; readonly cached: number | null };
  readonly turns: number | null;
  readonly interventions: number | null;
  /** Milliseconds. */
  readonly activeMs: number | null;
  /** Where the run lies, relative to the folder it was measured in. */
  readonly trace: string | null;
}

/** A trial, and the folder of its job. */
export interface ArmTrial<Record extends MeasuredTrial = TrialRecord> {
  readonly record: Record;
  readonly folder: string;
}

/** What was measured of one configuration: its trials by task. */
export interface Arm<Record extends MeasuredTrial = TrialRecord> {
  /** As it is shown: with its job's folder where two arms have the same. */
  readonly name: string;
  readonly configuration: string;
  /** Folders of the jobs it was measured in. */
  readonly jobs: readonly string[];
  readonly harnessHash: string;
  /** Whose loop it is: another agent with its version, or `oracle`, `nop`; left out of Forge's own. Part of the harness hash. */
  readonly agent?: string;
  readonly model: string;
  /** Of the model with all that counts: name, fingerprint, sampling. */
  readonly modelHash: string;
  /** Empty where Forge did not measure it. */
  readonly forgeVersion: string;
  /** The runner: `Forge`, `Harbor`. */
  readonly measuredBy: string;
  readonly simulated: boolean;
  /** What it was measured under; null for what was not measured by Forge. */
  readonly circumstances: Circumstances | null;
  readonly tasks: ReadonlyMap<string, readonly ArmTrial<Record>[]>;
  /** By task, how many trials were planned and are not there; left out where nothing says what was planned, and `missingTrials` goes by the other arm. */
  readonly unrun?: ReadonlyMap<string, number>;
  /** Trials that came twice (a job given twice, or one that a model repeats word for word) and count once. */
  readonly countedOnce: number;
}

/** An arm whoever measured it. */
export type AnyArm = Arm<MeasuredTrial>;
export type AnyTrial = ArmTrial<MeasuredTrial>;

/** What may differ between two measurements of the same thing, each value once. */
export interface Circumstances {
  readonly cpus: readonly string[];
  readonly trialsAtATime: readonly string[];
  /** Load average of a minute, mean over trials. */
  readonly load: number;
  readonly priceTables: readonly string[];
  /** Fingerprints of the servers, or what they call themselves. */
  readonly servers: readonly string[];
}

/**
 * How a trial without a score, or one that is missing, counts: left out; as a failure; or against the claim, as a failure of the arm that seems better and a pass of the other.
 * A verdict must hold each way.
 */
export type InfraReading = "excluded" | "failed" | "against";

const otherAgent = z.object({
  agent: z.looseObject({
    name: z.string(),
    version: z.string().optional(),
    command: z.string().optional(),
    install: z.string().optional(),
  }),
});

function agentOf(agent: string, config: unknown): Pick<Arm, "agent"> {
  if (agent !== "configured") return { agent };
  const other = otherAgent.safeParse(config).data?.agent;
  if (!other) return {};
  const { name, command, install } = other;
  const version = command === undefined ? other.version : sha256(canonicalJson([command, install ?? null])).slice(0, 8); // all commands have one name
  return { agent: version === undefined ? name : `${name}@${version}` };
}

/**
 * The arms of one job or several, in the order in which they were asked for. With `pool` the same configuration in two jobs is one arm, which is
 * right only for jobs that can be compared; `apart` names a job whose arms are never pooled with others. Of two arms of the same name the later gets
 * its job's folder added.
 */
export function armsOf(jobs: readonly FinishedJob[], o: { pool: boolean; apart?: string | undefined }): Arm[] {
  const arms = new Map<
    string,
    Omit<Arm, "tasks" | "countedOnce" | "simulated" | "circumstances" | "unrun"> & { trials: ArmTrial[]; jobs: string[]; plans: Plans }
  >();
  const names = new Set<string>();
  for (const job of jobs) {
    const trials = trialsByConfiguration(job);
    for (const [configuration, { harnessHash, model, modelHash, config }] of Object.entries(job.lock.configurations)) {
      const { agent, forgeVersion } = job.lock;
      const place = o.pool ? String(job.folder === o.apart) : job.folder;
      const key = JSON.stringify([harnessHash, modelHash, agent, forgeVersion, place]);
      let arm = arms.get(key);
      if (!arm) {
        const name = names.has(configuration) ? `${configuration} (${job.folder})` : configuration;
        names.add(name);
        const served = `${model.provider}/${model.name}`;
        arm = {
          name,
          configuration,
          jobs: [],
          harnessHash,
          ...agentOf(job.lock.agent, config),
          model: served,
          modelHash,
          forgeVersion,
          measuredBy: "Forge",
          trials: [],
          plans: new Map(),
        };
        arms.set(key, arm);
      }
      if (!arm.jobs.includes(job.folder)) arm.jobs.push(job.folder);
      const own = trials.get(configuration) ?? [];
      for (const trial of own) arm.trials.push(trial);
      addPlan(arm.plans, job, configuration, own);
    }
  }
  return [...arms.values()].map(({ trials, plans, ...arm }) => ({
    ...arm,
    unrun: unrunOf(plans),
    simulated: trials.some(({ record }) => record.simulated),
    circumstances: circumstancesOf(trials.map(({ record }) => record)),
    ...byTask(trials),
  }));
}

/** By job and configuration, by task: trials planned and found. */
type Plans = Map<string, Map<string, { readonly planned: number; readonly found: number }>>;

/** A job that stops when decided leaves trials out by design. Copies of one job are one plan, of which each may have a part. */
function addPlan(plans: Plans, { folder, lock }: FinishedJob, configuration: string, trials: readonly ArmTrial[]): void {
  if (lock.untilDecided !== undefined) return;
  const found = new Map<string, number>();
  for (const { record } of trials) found.set(record.task, (found.get(record.task) ?? 0) + 1);
  const key = JSON.stringify([lock.job ?? folder, configuration]);
  const plan = plans.get(key) ?? new Map<string, { planned: number; found: number }>();
  for (const task of Object.keys(lock.tasks)) {
    const before = plan.get(task);
    plan.set(task, { planned: Math.max(lock.repeats, before?.planned ?? 0), found: Math.max(found.get(task) ?? 0, before?.found ?? 0) });
  }
  plans.set(key, plan);
}

function unrunOf(plans: Plans): Map<string, number> {
  const unrun = new Map<string, number>();
  for (const plan of plans.values())
    for (const [task, { planned, found }] of plan) if (found < planned) unrun.set(task, (unrun.get(task) ?? 0) + planned - found);
  return unrun;
}

function circumstancesOf(records: readonly TrialRecord[]): Circumstances {
  const each = (of: (record: TrialRecord) => string): string[] => [...new Set(records.map(of))].toSorted();
  return {
    cpus: each(({ load }) => String(load.cpus)),
    trialsAtATime: each(({ load }) => String(load.jobs)),
    load: records.reduce((sum, { load }) => sum + load.average, 0) / Math.max(1, records.length),
    priceTables: each(({ priceTable }) => priceTable ?? "none"),
    servers: each(({ modelIdentity, servedModel }) => modelIdentity.fingerprint ?? servedModel ?? "unnamed"),
  };
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

/** Whether all repeats give exactly the same replies: by construction (temperature 0), or so often that they are no independent evidence. */
export function isOneObservation(trials: readonly AnyTrial[]): boolean {
  const first = trials[0]?.record;
  return (
    first !== undefined &&
    trials.length > 1 &&
    first.replyDigest !== null &&
    trials.every(({ record }) => record.replyDigest === first.replyDigest && record.score === first.score)
  );
}

/** The trials of one cell that are observations of their own. */
export const observationsOf = (trials: readonly AnyTrial[]): readonly AnyTrial[] =>
  isOneObservation(trials) ? trials.slice(0, 1) : trials;

/**
 * The scores of one cell; repeats that are one observation count as one.
 * @param lost what a trial without a score counts, undefined to leave it out
 * @param missing trials of the cell that are not there, and count like those without a score
 */
export function scoresOf(trials: readonly AnyTrial[], lost?: number, missing = 0): number[] {
  const scores = trials
    .flatMap(({ record: { score } }) => (score !== null ? [score] : lost === undefined ? [] : [lost]))
    .sort((x, y) => x - y); // sums come out alike to the last digit, in whatever order the trials came
  if (lost !== undefined && missing > 0) return [...scores, ...Array.from({ length: missing }, () => lost)];
  return isOneObservation(trials) ? scores.slice(0, 1) : scores;
}

/** Picks the arm that `--baseline` names; the first where it names none. */
export function baselineOf(arms: readonly AnyArm[], name: string | undefined): AnyArm {
  const arm = name === undefined ? arms[0] : arms.find((one) => one.name === name);
  if (!arm)
    throw new ConfigError(`--baseline: there is no configuration "${String(name)}"; there are ${arms.map((one) => one.name).join(", ")}.`);
  return arm;
}
