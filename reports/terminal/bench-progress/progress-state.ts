import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import type { TrialStep } from "../../../evals/trial/attempt/trial-progress.ts";
import { mean } from "../../../evals/statistics/moments.ts";
import { imageOf } from "./describe-events.ts";

/** One row of the table. */
export interface ArmProgress {
  passed: number;
  failed: number;
  unscored: number;
  infra: number;
  tokens: number;
  costUsd: number | null;
  /** Nobody is charged: the cost is made up. */
  simulated: boolean;
}

export interface RunningTrial {
  readonly place: TrialPlace;
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly since: number;
  readonly step: TrialStep | undefined;
}

/** What a bench's events have come to, for whoever draws it. Times are Unix milliseconds. */
export interface ProgressState {
  readonly start: Extract<BenchEvent, { type: "job.start" }> | undefined;
  readonly arms: ReadonlyMap<string, ArmProgress>;
  readonly running: ReadonlyMap<string, RunningTrial>;
  /** Images that are being built, by what they are called to a person, with the builder's last line. */
  readonly building: ReadonlyMap<string, string>;
  /** Milliseconds of the trials that ended in this run, by task. */
  readonly ended: ReadonlyMap<string, readonly number[]>;
  /** Names of the tasks, in the job's order where it tells it, else as they came. */
  readonly taskNames: readonly string[];
  /** Of ended trials, by `trialKey`: whether they passed; null without a score. */
  readonly outcomes: ReadonlyMap<string, boolean | null>;
  /** Of a configuration's trials with a score, how many of each task passed. */
  readonly byTask: ReadonlyMap<string, ReadonlyMap<string, { readonly passed: number; readonly scored: number }>>;
  /** Trials with a record, those of earlier runs too. */
  readonly done: number;
  /** Why nothing new is started right now. */
  readonly paused: string | undefined;
  /** Providers that asked for less, with the time until which nothing is sent to them. */
  readonly held: ReadonlyMap<string, number>;
  readonly stopping: boolean;
  add(event: BenchEvent): void;
}

export function createProgressState(): ProgressState {
  const arms = new Map<string, ArmProgress>();
  const running = new Map<string, RunningTrial>();
  const building = new Map<string, string>();
  const ended = new Map<string, number[]>();
  const held = new Map<string, number>();
  const taskNames: string[] = [];
  const outcomes = new Map<string, boolean | null>();
  const byTask = new Map<string, Map<string, { passed: number; scored: number }>>();
  const note = (place: TrialPlace, passed?: boolean | null): void => {
    if (!taskNames.includes(place.task)) taskNames.push(place.task);
    if (passed === undefined) return;
    outcomes.set(trialKey(place), passed);
    if (passed === null) return;
    const tasks = byTask.get(place.configuration) ?? new Map<string, { passed: number; scored: number }>();
    const before = tasks.get(place.task) ?? { passed: 0, scored: 0 };
    byTask.set(place.configuration, tasks.set(place.task, { passed: before.passed + Number(passed), scored: before.scored + 1 }));
  };
  /** What attempts without a result had used when they ended. */
  const used = new Map<string, { readonly attempt: number; readonly step: TrialStep | undefined }>();
  const own: { start: ProgressState["start"]; done: number; paused: string | undefined; stopping: boolean } = {
    start: undefined,
    done: 0,
    paused: undefined,
    stopping: false,
  };
  const armOf = (name: string): ArmProgress => {
    const arm = arms.get(name) ?? { passed: 0, failed: 0, unscored: 0, infra: 0, tokens: 0, costUsd: 0, simulated: false };
    arms.set(name, arm);
    return arm;
  };
  const end = (place: TrialPlace, ts: number): void => {
    const trial = running.get(trialKey(place));
    running.delete(trialKey(place));
    if (trial) ended.set(place.task, [...(ended.get(place.task) ?? []), ts - trial.since]);
  };
  const add = (event: BenchEvent): void => {
    switch (event.type) {
      case "job.start":
        own.start = event;
        own.done = event.finished;
        taskNames.push(...(event.taskNames ?? []));
        for (const { passed, ...place } of event.outcomes ?? []) note(place, passed);
        for (const one of event.configurations) {
          const { passed, failed, unscored, infraAttempts: infra, tokens, costUsd, simulated } = one;
          arms.set(one.configuration, { passed, failed, unscored, infra, tokens: tokens.in + tokens.out, costUsd, simulated });
        }
        return;
      case "image.start":
        building.set(imageOf(event), "");
        return;
      case "image.line":
        building.set(imageOf(event), event.line);
        return;
      case "image.end":
        building.delete(imageOf(event));
        return;
      case "trial.start":
        note(event.trial);
        running.set(trialKey(event.trial), { place: event.trial, attempt: event.attempt, since: event.ts, step: undefined });
        // A trial that an earlier run left without a score is tried again: it is running now, not without a score.
        if (waitingOf(own.start, armOf(event.trial.configuration), event.trial.configuration, running) < 0)
          armOf(event.trial.configuration).unscored--;
        return;
      case "trial.step": {
        const trial = running.get(trialKey(event.trial));
        if (trial) running.set(trialKey(event.trial), { ...trial, step: event.step });
        return;
      }
      case "trial.retry":
        used.set(trialKey(event.trial), { attempt: event.attempt, step: running.get(trialKey(event.trial))?.step });
        spend(armOf(event.trial.configuration), running.get(trialKey(event.trial))?.step);
        running.delete(trialKey(event.trial));
        if (event.class === "infra") armOf(event.trial.configuration).infra++;
        return;
      case "trial.end": {
        const { passed, configuration, tokens, costUsd, attempt } = event.record;
        const arm = armOf(configuration);
        const before = used.get(trialKey(event.trial));
        // The last attempt of a trial without a score was told as one to be tried again, and its record tells of it once more.
        if (before && before.attempt === attempt) spend(arm, before.step, -1);
        end(event.trial, event.ts);
        note(event.trial, passed);
        own.done++;
        arm[passed === null ? "unscored" : passed ? "passed" : "failed"]++;
        arm.tokens += tokens.in + tokens.out;
        arm.costUsd = arm.costUsd === null || costUsd === null ? null : arm.costUsd + costUsd;
        return;
      }
      case "job.pause":
        own.paused = event.reason;
        return;
      case "job.resume":
        own.paused = undefined;
        return;
      case "provider.pause":
        held.set(event.provider, event.until);
        return;
      case "job.stop":
        own.stopping = true;
        return;
      case "job.decision":
      case "task.left-out":
      case "job.wait":
      case "job.end":
        return;
    }
  };
  return {
    arms,
    running,
    building,
    ended,
    held,
    taskNames,
    outcomes,
    byTask,
    add,
    get start() {
      return own.start;
    },
    get done() {
      return own.done;
    },
    get paused() {
      return own.paused;
    },
    get stopping() {
      return own.stopping;
    },
  };
}

/** Counts what a trial had used, or takes that back. */
function spend(arm: ArmProgress, step: TrialStep | undefined, sign: 1 | -1 = 1): void {
  if (!step) return;
  arm.tokens += sign * step.tokens;
  arm.costUsd = arm.costUsd === null || step.costUsd === null ? null : arm.costUsd + sign * step.costUsd;
}

/** Trials of a configuration that are not ended and not running. */
function waitingOf(
  start: ProgressState["start"],
  arm: ArmProgress,
  configuration: string,
  running: ReadonlyMap<string, RunningTrial>,
): number {
  const own = [...running.values()].filter(({ place }) => place.configuration === configuration).length;
  const all = start ? start.trials / Math.max(1, start.configurations.length) : 0;
  return all - arm.passed - arm.failed - arm.unscored - own;
}

export const trialKey = ({ task, configuration, repeat }: TrialPlace): string => JSON.stringify([task, configuration, repeat]);

/** What a configuration has used with what its running trials have used so far, and its rate: each task weighs the same. */
export function armNow(state: ProgressState, name: string, arm: ArmProgress): ArmProgress & { readonly rate: number | null } {
  const tasks = [...(state.byTask.get(name)?.values() ?? [])];
  const own = [...state.running.values()].filter(({ place }) => place.configuration === name);
  return {
    ...arm,
    rate: tasks.length > 0 ? mean(tasks.map(({ passed, scored }) => passed / scored)) : null,
    tokens: own.reduce((sum, { step }) => sum + (step?.tokens ?? 0), arm.tokens),
    costUsd: own.reduce<number | null>(
      (sum, { step }) => (sum === null || (step && step.costUsd === null) ? null : sum + (step?.costUsd ?? 0)),
      arm.costUsd,
    ),
  };
}
