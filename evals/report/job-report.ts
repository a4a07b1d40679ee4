import { armsOf, type Arm } from "../compare/arm.ts";
import { notComparable } from "../compare/comparable.ts";
import type { ComparisonReport } from "../compare/comparison-report.ts";
import type { FinishedJob } from "../compare/load-job.ts";
import { harnessDifferences } from "../job/harness-differences.ts";
import { countInterventions, type InterventionTable } from "./interventions.ts";
import { passCurve, type PassPoint } from "./pass-curve.ts";
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
  readonly agent: string;
  readonly sandbox: string;
  readonly modes: readonly string[];
  readonly forgeVersions: readonly string[];
  /** Trials of each task and configuration that were asked for; the largest of several jobs. */
  readonly repeats: number;
  /** Unix milliseconds at which the first and the last trial began. */
  readonly startedAt: number;
  readonly lastStartedAt: number;
  readonly arms: readonly ArmReport[];
  readonly interventions: InterventionTable;
  readonly changes: readonly ConfigurationChange[];
  /** The command of each job, where it is known. */
  readonly commands: readonly { readonly job: string; readonly command: string | undefined }[];
}

/** @param apart see `CompareOptions.baselineJob`: as it was given to the comparison */
export async function jobReport(jobs: readonly FinishedJob[], comparison: ComparisonReport, apart?: string): Promise<JobReport> {
  const found = armsOf(jobs, { pool: notComparable(jobs) === undefined, apart });
  const arms = found.map((arm): ArmReport => {
    const trials = trialsOf(arm);
    return { name: arm.name, trials, passCurve: passCurve(trials) };
  });
  const records = jobs.flatMap((job) => job.records);
  const started = records.map((record) => record.startedAt);
  const times = (of: (x: number, y: number) => number): number => started.reduce((x, y) => of(x, y), started[0] ?? 0);
  return {
    comparison,
    agent: listed(jobs.map(({ lock }) => lock.agent)),
    sandbox: listed(jobs.map(({ lock }) => lock.sandbox)),
    modes: [...new Set(records.map(({ mode }) => mode))],
    forgeVersions: [...new Set(jobs.map(({ lock }) => lock.forgeVersion))],
    repeats: Math.max(...jobs.map(({ lock }) => lock.repeats)),
    startedAt: times(Math.min),
    lastStartedAt: times(Math.max),
    arms,
    interventions: await countInterventions(arms),
    changes: comparison.pairs.map(({ a, b }) => ({ a, b, parts: changedParts(jobs, found, a, b) })),
    commands: await Promise.all(jobs.map(async (job) => ({ job: job.folder, command: await benchCommand(job) }))),
  };
}

function trialsOf(arm: Arm): TrialFacts[] {
  const tasks = [...arm.tasks.keys()].toSorted();
  return tasks.flatMap((task) => (arm.tasks.get(task) ?? []).map(trialFacts).toSorted((x, y) => x.repeat - y.repeat));
}

function changedParts(jobs: readonly FinishedJob[], arms: readonly Arm[], a: string, b: string): string[] {
  const [before, now] = [a, b].map((name) => arms.find((arm) => arm.name === name));
  if (!before || !now) return [];
  const configOf = (arm: Arm): FinishedJob["lock"]["configurations"][string] | undefined =>
    jobs.find((job) => job.folder === arm.jobs[0])?.lock.configurations[arm.configuration];
  const [was, is] = [configOf(before), configOf(now)];
  if (!was || !is) return [];
  return [
    ...(before.model === now.model ? [] : [`model ${before.model} → ${now.model}`]),
    ...(before.model === now.model && was.modelHash !== is.modelHash ? ["sampling or context of the model"] : []),
    ...harnessDifferences(was.config, is.config),
  ];
}

const listed = (values: readonly string[]): string => [...new Set(values)].join(", ");
