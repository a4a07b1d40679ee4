import type { AnyArm } from "../arms/arm.ts";
import { passCurveOf } from "../arms/arm-summary.ts";
import { comparedArms } from "../compare/compare.ts";
import type { ComparisonReport } from "../compare/comparison-report.ts";
import type { FinishedJob } from "../job/results/load-job.ts";
import type { ImportedRuns } from "../imported/imported-runs.ts";
import { harnessDifferences } from "../job/harness-differences.ts";
import { countInterventions, type InterventionTable } from "./interventions.ts";
import type { PassPoint } from "../statistics/pass-curve.ts";
import { benchCommand } from "./reproduce.ts";
import { trialFacts, type TrialFacts } from "./trial-facts.ts";

/** One configuration's trials, in the order of tasks and repeats. */
export interface ArmReport {
  readonly name: string;
  readonly trials: readonly TrialFacts[];
  readonly passCurve: readonly PassPoint[];
}

/** In what the two configurations of a pair differ; empty where nothing that their hashes cover does, or where the records do not tell. */
export interface ConfigurationChange {
  readonly a: string;
  readonly b: string;
  readonly parts: readonly string[];
}

/** A job, or several, as a page: the comparison, and what it rests on. */
export interface JobReport {
  readonly comparison: ComparisonReport;
  /** Null where Forge measured none of it; `modes` and `forgeVersions` are empty then. */
  readonly agent: string | null;
  readonly sandbox: string | null;
  readonly modes: readonly string[];
  readonly forgeVersions: readonly string[];
  /** Trials of each task and configuration that were asked for, else that there are; the largest of several. */
  readonly repeats: number;
  /** Unix milliseconds at which the first and the last trial of Forge began. */
  readonly startedAt: number | null;
  readonly lastStartedAt: number | null;
  readonly arms: readonly ArmReport[];
  readonly interventions: InterventionTable;
  readonly changes: readonly ConfigurationChange[];
  /** The command of each job, where it is known. */
  readonly commands: readonly { readonly job: string; readonly command: string | undefined }[];
}

/** @param given what the comparison was made of: results of other runners, and `CompareOptions.baselineJob` */
export async function jobReport(
  jobs: readonly FinishedJob[],
  comparison: ComparisonReport,
  given: { readonly imported?: readonly ImportedRuns[]; readonly baselineJob?: string | undefined } = {},
): Promise<JobReport> {
  const found = comparedArms(jobs, given, given.imported);
  const arms = found.map((arm): ArmReport => {
    const trials = trialsOf(arm);
    return { name: arm.name, trials, passCurve: passCurveOf(arm) };
  });
  const records = jobs.flatMap((job) => job.records);
  const started = records.map((record) => record.startedAt);
  const time = (of: (x: number, y: number) => number): number | null => (started.length > 0 ? started.reduce((x, y) => of(x, y)) : null);
  return {
    comparison,
    agent: listed(jobs.map(({ lock }) => lock.agent)),
    sandbox: listed(jobs.map(({ lock }) => lock.sandbox)),
    modes: [...new Set(records.map(({ mode }) => mode))],
    forgeVersions: [...new Set(jobs.map(({ lock }) => lock.forgeVersion))],
    repeats: Math.max(
      ...jobs.map(({ lock }) => lock.repeats),
      ...arms.map(({ trials }) => trials.reduce((most, { repeat }) => Math.max(most, repeat), 0)),
    ),
    startedAt: time(Math.min),
    lastStartedAt: time(Math.max),
    arms,
    interventions: await countInterventions(arms),
    changes: comparison.pairs.map(({ a, b }) => ({ a, b, parts: changedParts(jobs, found, a, b) })),
    commands: await Promise.all(jobs.map(async (job) => ({ job: job.folder, command: await benchCommand(job) }))),
  };
}

function trialsOf(arm: AnyArm): TrialFacts[] {
  const tasks = [...arm.tasks.keys()].toSorted();
  return tasks.flatMap((task) => (arm.tasks.get(task) ?? []).map(trialFacts).toSorted((x, y) => x.repeat - y.repeat));
}

function changedParts(jobs: readonly FinishedJob[], arms: readonly AnyArm[], a: string, b: string): string[] {
  const [before, now] = [a, b].map((name) => arms.find((arm) => arm.name === name));
  if (!before || !now) return [];
  const configOf = (arm: AnyArm): FinishedJob["lock"]["configurations"][string] | undefined =>
    jobs.find((job) => job.folder === arm.jobs[0])?.lock.configurations[arm.configuration];
  const [was, is] = [configOf(before), configOf(now)];
  const model = before.model === now.model ? [] : [`model ${before.model} → ${now.model}`];
  if (!was || !is) return model;
  return [
    ...model,
    ...(before.model === now.model && was.modelHash !== is.modelHash ? ["sampling or context of the model"] : []),
    ...harnessDifferences(was.config, is.config),
  ];
}

const listed = (values: readonly string[]): string | null => (values.length > 0 ? [...new Set(values)].join(", ") : null);
