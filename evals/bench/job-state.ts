import { setImmediate as turn } from "node:timers/promises";
import type { BenchEvent } from "./bench-events.ts";
import type { BenchRequest } from "./bench-request.ts";
import type { TrialCost } from "./schedule/budget.ts";
import type { ResolvedJob } from "./resolve-job.ts";
import type { TriedTrial } from "./run-attempts.ts";
import type { StopReason } from "./schedule/stops.ts";
import type { TrialPlan } from "../trial/trial-plan.ts";
import type { TrialPlace } from "../trial/trial-place.ts";
import { crashIn } from "../trial/evidence/evidence.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import type { JobFolder } from "../job/job-folder.ts";
import { summarize, tooManyUnscored, type ConfigurationSummary, type JobResult } from "../job/results/job-result.ts";
import type { Journal } from "../job/journal.ts";
import { finishedTrial, isFinal, pastTrial } from "../job/results/past-trial.ts";
import { createToldResults } from "../job/results/published-results.ts";

/** What a job's trials have come to, from its folder and from this run of it. */
export interface JobState {
  readonly job: JobFolder;
  readonly id: string;
  /** Trials without a final record, in the order of the plan. */
  todo(): readonly TrialPlan[];
  past(plan: TrialPlan): { readonly lastAttempt: number };
  /** Attempts of this run of the job. */
  add(plan: TrialPlan, tried: TriedTrial): void;
  /** A sentence where every trial of the plan's arm so far crashed before it reached its model, and there were enough to tell. */
  dead(plan: TrialPlan): string | undefined;
  /** Of each trial that was begun, all its attempts together. */
  costs(): readonly TrialCost[];
  start(): Omit<Extract<BenchEvent, { type: "job.start" }>, "type" | "ts">;
  /** Published ones. */
  records(): readonly TrialRecord[];
  /** `wants`: of a job that stops when decided, whether a trial was still needed. */
  result(reason: StopReason | undefined, endedAt: number, wants?: (plan: TrialPlan) => boolean): JobResult;
}

interface TrialState {
  record: TrialRecord | undefined;
  lastAttempt: number;
  readonly attempts: TrialRecord[];
}

/** Reads the folder of the job as it is. @throws DamagedError for a result that is not the one of which the journal tells */
export async function createJobState(
  job: JobFolder,
  id: string,
  request: BenchRequest,
  resolved: ResolvedJob,
  { journal, now }: { readonly journal: Pick<Journal, "past" | "add">; readonly now: () => number },
): Promise<JobState> {
  const { plans, lock, tasks, leftOut, models, sandbox, jobs } = resolved;
  const trials = new Map<TrialPlan, TrialState>();
  const arms = new Map<string, TrialState[]>(request.configurations.map(({ name }) => [name, []]));
  const told = createToldResults();
  for (const line of journal.past) told.hear(line);
  for (const [i, plan] of plans.entries()) {
    if (i % 250 === 249) await turn(); // others, Ctrl-C for one, get their turn
    const place = { task: plan.task.name, configuration: plan.configuration, repeat: plan.repeat };
    const { record, lastAttempt, attempts } =
      finishedTrial(job, place, plan.key, told) ?? (await pastTrial(job, place, plan.key, { told, journal, now }));
    const state: TrialState = { record, lastAttempt, attempts: [...attempts] };
    trials.set(plan, state);
    arms.get(plan.configuration)?.push(state);
  }
  const stateOf = (plan: TrialPlan): TrialState => {
    const state = trials.get(plan);
    if (!state) throw new Error("a trial that is not of this job");
    return state;
  };
  const modes = [...new Set(plans.map(({ mode }) => mode))].toSorted();
  const simulated = [...models.values()].some((model) => model.simulated === true);
  const about = { job: id, folder: job.path, suite: request.suite.name, agent: lock.agent, sandbox, modes, simulated };
  const recorded = (): TrialRecord[] => [...trials.values()].flatMap(({ record }) => record ?? []);
  const summaries = (): ConfigurationSummary[] =>
    request.configurations.map(({ name, hash }) => {
      const own = arms.get(name) ?? [];
      const model = models.get(name);
      const arm = {
        configuration: name,
        harnessHash: hash,
        model: model ? `${model.provider}/${model.name}` : "",
        simulated: model?.simulated ?? false,
      };
      const infra = own.flatMap(({ attempts }) => attempts).filter((attempt) => attempt.class === "infra").length;
      const records = own.flatMap(({ record }) => record ?? []);
      // A model may turn out to be simulated by what its server signs with.
      return summarize({ ...arm, simulated: arm.simulated || records.some((record) => record.simulated) }, records, infra);
    });
  const allAttempts = (): TrialRecord[] => [...trials.values()].flatMap(({ attempts }) => attempts);
  return {
    job,
    id,
    todo: () => plans.filter((plan) => !isDone(stateOf(plan).record)),
    past: stateOf,
    add(plan, { attempts, result }) {
      const state = stateOf(plan);
      state.attempts.push(...attempts);
      state.lastAttempt += attempts.length;
      state.record = result ?? state.record;
    },
    dead({ configuration }) {
      const own = arms.get(configuration) ?? [];
      const records = own.flatMap(({ record }) => record ?? []);
      if (records.length < Math.min(enoughCrashes, own.length) || !records.every(neverAsked)) return undefined;
      const many = records.length > 1 ? `, as did each of its ${records.length} trials so far` : "";
      return `${(records.at(-1)?.error ?? `${configuration} crashed`).replace(/\.$/, "")}${many}; no further trial is started.`;
    },
    costs: () =>
      [...trials].flatMap(([{ configuration }, { attempts }]) =>
        attempts.length > 0 ? [{ configuration, costUsd: costOf(attempts) }] : [],
      ),
    start: () => ({
      ...about,
      tasks: tasks.length,
      repeats: request.repeats,
      trials: plans.length,
      finished: [...trials.values()].filter(({ record }) => isDone(record)).length,
      jobs,
      configurations: summaries(),
      taskNames: tasks.map(({ name }) => name),
      outcomes: [...trials.values()].flatMap(({ record }) => (record && isDone(record) ? [outcomeOf(record)] : [])),
    }),
    records: recorded,
    result(reason, endedAt, wants) {
      const records = recorded();
      const needed = wants ? plans.filter((plan) => stateOf(plan).record !== undefined || wants(plan)).length : plans.length;
      const unscored = records.filter(({ passed }) => passed === null).length;
      return {
        v: 1,
        ...about,
        simulated: about.simulated || records.some((record) => record.simulated),
        status: records.length === plans.length ? "finished" : records.length === needed ? "decided" : (reason ?? "stopped"),
        trials: plans.length,
        recorded: records.length,
        unscored,
        invalid: tooManyUnscored(unscored, needed),
        repeats: request.repeats,
        tasks: tasks.map(({ name }) => name),
        ...(leftOut.length === 0 ? {} : { leftOut: [...leftOut] }),
        configurations: summaries(),
        spentUsd: costOf(allAttempts()),
        spentSimulatedUsd: costOf(allAttempts().filter((record) => record.simulated)),
        endedAt,
      };
    },
  };
}

/** Trials of an arm that have to crash at once before it counts as dead: one task's environment may lack what the others have. */
const enoughCrashes = 3;

const neverAsked = ({ passed, evidence }: TrialRecord): boolean => passed !== true && crashIn(evidence)?.requests === 0;

const isDone = (record: TrialRecord | undefined): boolean => record !== undefined && isFinal(record);

const costOf = (records: readonly TrialRecord[]): number | null =>
  records.reduce<number | null>((sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd), 0);

/** Of a trial's record, what a list of outcomes has. */
export const outcomeOf = ({ task, configuration, repeat, passed }: TrialRecord): TrialPlace & { readonly passed: boolean | null } => ({
  task,
  configuration,
  repeat,
  passed,
});
