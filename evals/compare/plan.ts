import { mean } from "../statistics/moments.ts";
import { detectableWith, tasksNeeded, type VarianceComponents } from "../statistics/power.ts";
import type { Comparison } from "./compare.ts";

/** What is known before a comparison is paid for. */
export interface PlanRequest {
  readonly tasks: number;
  /** Of each task and configuration. */
  readonly repeats: number;
  /** Two or more; all are compared with the first. */
  readonly configurations: number;
  /** A wanted difference, a share: how many tasks it takes. */
  readonly difference?: number | undefined;
}

/** A size of a comparison, and what it can see. */
export interface PlannedSize {
  readonly tasks: number;
  readonly repeats: number;
  readonly trials: number;
  /** Smallest true difference that is found four times out of five by the formula; a share. */
  readonly detectable: number;
  /** Null where no past job knows its cost. */
  readonly costUsd: number | null;
  /** Milliseconds inside model and tool calls; null without a past job. */
  readonly activeMs: number | null;
}

export interface Plan {
  readonly components: VarianceComponents;
  /** `jobs`: of past repeats. `single trials`: a past job without repeats, whose noise counts as the tasks' own. `published`: nine agents on 80 tasks. */
  readonly from: "jobs" | "single trials" | "published";
  readonly asked: PlannedSize;
  /** The same money twice, spent on tasks or on repeats; the one that sees more first. */
  readonly alternatives: readonly [PlannedSize, PlannedSize];
  /** Tasks for the wanted difference with the asked repeats. */
  readonly tasksNeeded?: number;
}

/**
 * Of pairs of nine agents on 80 tasks (terminal-bench-core 0.1.1, 3,543 published trials), means over pairs and agents. Two harnesses of one model are
 * usually more alike: the guess is on the careful side.
 */
const published: VarianceComponents = { between: 0.115, withinA: 0.071, withinB: 0.071 };

/** Says what a comparison can see, from past jobs where there are any, else from published outcomes. */
export function plan(o: PlanRequest, past?: Comparison): Plan {
  const { components, from } = componentsOf(past);
  const comparisons = Math.max(1, o.configurations - 1);
  const trial = trialOf(past);
  const size = (tasks: number, repeats: number): PlannedSize => {
    const trials = tasks * repeats * o.configurations;
    return {
      tasks,
      repeats,
      trials,
      detectable: detectableWith({ tasks, repeats, comparisons }, components),
      costUsd: trial.costUsd === null ? null : trials * trial.costUsd,
      activeMs: trial.activeMs === null ? null : trials * trial.activeMs,
    };
  };
  const [more, again] = [size(o.tasks * 2, o.repeats), size(o.tasks, o.repeats * 2)];
  return {
    components,
    from,
    asked: size(o.tasks, o.repeats),
    alternatives: more.detectable <= again.detectable ? [more, again] : [again, more],
    ...(o.difference === undefined
      ? {}
      : { tasksNeeded: tasksNeeded({ difference: o.difference, repeats: o.repeats, comparisons }, components) }),
  };
}

/** The mean over the pairs of a past comparison. */
function componentsOf(past: Comparison | undefined): Pick<Plan, "components" | "from"> {
  const mains = (past?.pairs ?? []).flatMap(({ readings }) => readings.slice(0, 1));
  const repeated = mains.flatMap(({ components }) => components ?? []);
  if (repeated.length > 0) {
    const components = {
      between: mean(repeated.map(({ between }) => between)),
      withinA: mean(repeated.map(({ withinA }) => withinA)),
      withinB: mean(repeated.map(({ withinB }) => withinB)),
    };
    return { components, from: "jobs" };
  }
  const single = mains.filter(({ tasks }) => tasks > 1).map(({ newTasks, tasks }) => newTasks.se ** 2 * tasks);
  return single.length > 0
    ? { components: { between: mean(single), withinA: 0, withinB: 0 }, from: "single trials" }
    : { components: published, from: "published" };
}

/** What one trial of the past cost and took, mean over all arms. */
function trialOf(past: Comparison | undefined): { costUsd: number | null; activeMs: number | null } {
  const arms = past?.arms ?? [];
  const trials = arms.reduce((sum, arm) => sum + arm.trials, 0);
  if (trials === 0) return { costUsd: null, activeMs: null };
  /** Of all arms, or not at all. */
  const perTrial = (values: readonly (number | null)[]): number | null =>
    values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / trials;
  return { costUsd: perTrial(arms.map(({ costUsd }) => costUsd)), activeMs: perTrial(arms.map(({ activeMs }) => activeMs)) };
}
