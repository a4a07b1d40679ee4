import { ConfigError } from "../../harness/errors.ts";
import { mean } from "../statistics/moments.ts";
import { detectableWith, tasksNeeded, type VarianceComponents } from "../statistics/power.ts";
import type { Comparison } from "./compare.ts";

/** What is known before a comparison is paid for. */
export interface PlanRequest {
  readonly tasks: number;
  /** Where tasks are variants of one another: of how many families they are. Left out: as in the past job, else each task is one by itself. */
  readonly families?: number | undefined;
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
  /** Null where the task is the unit. */
  readonly families: number | null;
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
  /** What of the past could not be used, or is less than it looks; each a finished sentence. */
  readonly notes: readonly string[];
  /** The past job's model was simulated: its variance and its cost are made up. */
  readonly simulated: boolean;
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
/** Of variants of one task in the same outcomes: the share of the tasks' variance that is their family's. */
const publishedCorrelation = 0.35;

/**
 * Says what a comparison can see, from past jobs where there are any, else from published outcomes.
 * @throws ConfigError for fewer than two configurations, and for more families than tasks
 */
export function plan(o: PlanRequest, past?: Comparison): Plan {
  if (o.configurations < 2)
    throw new ConfigError(
      `--configurations: ${o.configurations} has nothing to compare with; give 2 or more, which are compared with the first.`,
    );
  if (o.families !== undefined && o.families > o.tasks)
    throw new ConfigError(`--families: ${o.tasks} tasks have at most ${o.tasks} families, got ${o.families}.`);
  const { components: known, from, alike, familySize } = componentsOf(past);
  const families = o.families ?? (familySize === undefined ? undefined : Math.max(1, Math.round(o.tasks / familySize)));
  const unknown = families !== undefined && families < o.tasks && known.family === undefined;
  const components = unknown ? splitByFamily(known) : known;
  const comparisons = Math.max(1, o.configurations - 1);
  const trial = trialOf(past);
  const size = (tasks: number, repeats: number): PlannedSize => {
    const trials = tasks * repeats * o.configurations;
    const units = families === undefined ? undefined : (families * tasks) / o.tasks;
    return {
      tasks,
      families: units ?? null,
      repeats,
      trials,
      detectable: detectableWith({ tasks, families: units, repeats, comparisons }, components),
      costUsd: trial.costUsd === null ? null : trials * trial.costUsd,
      activeMs: trial.activeMs === null ? null : trials * trial.activeMs,
    };
  };
  const used =
    trial.costUsd === null && trial.activeMs === null
      ? "Nothing"
      : trial.costUsd === null
        ? "Only the working time"
        : "Only cost and working time";
  const [more, again] = [size(o.tasks * 2, o.repeats), size(o.tasks, o.repeats * 2)];
  return {
    components,
    from,
    notes: [
      ...(past && from === "published"
        ? [`${used} of ${past.jobs.join(", ")} could be used, as ${whyNotUsed(past)}; the variance is a guess.`]
        : []),
      ...(past?.simulated === true
        ? [`Simulated: the ${from === "published" ? "cost" : "variance and the cost"} of ${past.jobs.join(", ")} are made up.`]
        : []),
      ...(alike
        ? [
            "All its tasks differ by the same amount, which shows nothing of their spread: two tasks are added to them, one that differs wholly each way.",
          ]
        : []),
      ...(unknown
        ? [
            `How alike the tasks of one family are is a guess: a correlation of ${publishedCorrelation}, as of variants of one task in published outcomes.`,
          ]
        : []),
    ],
    simulated: past?.simulated ?? false,
    asked: size(o.tasks, o.repeats),
    alternatives: more.detectable <= again.detectable ? [more, again] : [again, more],
    ...(o.difference === undefined
      ? {}
      : { tasksNeeded: tasksNeeded({ difference: o.difference, tasks: o.tasks, families, repeats: o.repeats, comparisons }, components) }),
  };
}

/** Why a past comparison has no difference that could vary. */
function whyNotUsed({ notComparable, arms, pairs }: Comparison): string {
  if (notComparable !== undefined) return `its parts cannot be compared (${notComparable})`;
  const [only] = arms;
  if (arms.length < 2) return `it has one configuration only${only ? ` (${only.name})` : ""}`;
  const tasks = Math.max(0, ...pairs.map(({ readings }) => readings[0]?.tasks ?? 0));
  return tasks === 0 ? "its configurations share no task with a score" : "its configurations share one task with a score";
}

/** Part of the tasks' variance is their family's; of single trials also of their noise, which cannot be told apart from it. */
const splitByFamily = ({ between, ...others }: VarianceComponents): VarianceComponents => ({
  ...others,
  between: (1 - publishedCorrelation) * between,
  family: publishedCorrelation * between,
});

/**
 * The mean over the pairs of a past comparison. `alike`: of some pair all tasks differ by the same amount without any noise, as when all pass or all fail;
 * no interval is without width, so it counts as in `pairedDifference`. `familySize`: tasks in each of its families, mean.
 */
function componentsOf(past: Comparison | undefined): Pick<Plan, "components" | "from"> & {
  readonly alike: boolean;
  readonly familySize?: number;
} {
  const mains = (past?.pairs ?? []).flatMap(({ readings }) => readings.slice(0, 1)).filter(({ tasks }) => tasks > 1);
  const sizes = mains.flatMap(({ tasks, families }) => (families === null ? [] : [tasks / families]));
  const inFamilies = sizes.length > 0 ? { familySize: mean(sizes) } : {};
  let alike = false;
  const repeated = mains.flatMap(({ components, newTasks, tasks, families }): VarianceComponents[] => {
    if (!components) return [];
    const { between, family = 0, withinA, withinB } = components;
    if (between + family + withinA + withinB > 1e-12) return [components];
    alike = true;
    return [
      families === null ? { ...components, between: newTasks.se ** 2 * tasks } : { ...components, family: newTasks.se ** 2 * families },
    ];
  });
  const meanOf = (all: readonly VarianceComponents[]): VarianceComponents => {
    const of = (part: (one: VarianceComponents) => number): number => mean(all.map(part));
    const family = all.some((one) => one.family !== undefined) ? { family: of((one) => one.family ?? 0) } : {};
    return { between: of((one) => one.between), ...family, withinA: of((one) => one.withinA), withinB: of((one) => one.withinB) };
  };
  if (repeated.length > 0) return { components: meanOf(repeated), from: "jobs", alike, ...inFamilies };
  const single = mains.map(({ newTasks, tasks, families, familyVariance }): VarianceComponents => {
    const noNoise = { withinA: 0, withinB: 0 };
    if (families === null || !familyVariance) return { between: newTasks.se ** 2 * tasks, ...noNoise };
    return { between: familyVariance.within, family: familyVariance.family, ...noNoise };
  });
  return single.length > 0
    ? { components: meanOf(single), from: "single trials", alike: false, ...inFamilies }
    : { components: published, from: "published", alike: false };
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
