import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import type { TrialStep } from "../../../evals/trial/attempt/trial-progress.ts";
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
    const trial = running.get(keyOf(place));
    running.delete(keyOf(place));
    if (trial) ended.set(place.task, [...(ended.get(place.task) ?? []), ts - trial.since]);
  };
  const add = (event: BenchEvent): void => {
    switch (event.type) {
      case "job.start":
        own.start = event;
        own.done = event.finished;
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
        running.set(keyOf(event.trial), { place: event.trial, attempt: event.attempt, since: event.ts, step: undefined });
        // A trial that an earlier run left without a score is tried again: it is running now, not without a score.
        if (waitingOf(own.start, armOf(event.trial.configuration), event.trial.configuration, running) < 0)
          armOf(event.trial.configuration).unscored--;
        return;
      case "trial.step": {
        const trial = running.get(keyOf(event.trial));
        if (trial) running.set(keyOf(event.trial), { ...trial, step: event.step });
        return;
      }
      case "trial.retry":
        used.set(keyOf(event.trial), { attempt: event.attempt, step: running.get(keyOf(event.trial))?.step });
        spend(armOf(event.trial.configuration), running.get(keyOf(event.trial))?.step);
        running.delete(keyOf(event.trial));
        if (event.class === "infra") armOf(event.trial.configuration).infra++;
        return;
      case "trial.end": {
        const { passed, configuration, tokens, costUsd, attempt } = event.record;
        const arm = armOf(configuration);
        const before = used.get(keyOf(event.trial));
        // The last attempt of a trial without a score was told as one to be tried again, and its record tells of it once more.
        if (before && before.attempt === attempt) spend(arm, before.step, -1);
        end(event.trial, event.ts);
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
export function waitingOf(
  start: ProgressState["start"],
  arm: ArmProgress,
  configuration: string,
  running: ReadonlyMap<string, RunningTrial>,
): number {
  const own = [...running.values()].filter(({ place }) => place.configuration === configuration).length;
  const all = start ? start.trials / Math.max(1, start.configurations.length) : 0;
  return all - arm.passed - arm.failed - arm.unscored - own;
}

const keyOf = (place: TrialPlace): string => JSON.stringify([place.task, place.configuration, place.repeat]);
