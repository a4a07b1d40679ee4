import { ConfigError } from "../../../harness/errors.ts";
import { estimateOf, type FollowedPair } from "./follow-trials.ts";
import { followRecords } from "./watch-decisions.ts";
import { eValue } from "../../statistics/e-process.ts";
import { normalQuantile } from "../../statistics/distributions.ts";
import type { AnyArm } from "../../arms/arm.ts";
import { compareArms, type Difference, type ReadBy } from "../compare-arms.ts";
import type { FinishedJob } from "../../job/results/load-job.ts";

/** The looks of a job that was to stop when decided, by the names of its configurations. */
export interface Looks {
  readonly planned: number;
  /** Whether whole families were looked at. */
  readonly families: boolean;
  readonly pairs: readonly FollowedPair[];
}

/** Undefined for a job without a stopping rule. */
export function looksOf({ lock, records }: FinishedJob): Looks | undefined {
  const { untilDecided: rule, study, repeats } = lock;
  return rule && study
    ? { planned: rule.order.length, families: rule.looks !== undefined, pairs: followRecords({ rule, study, repeats, records }) }
    : undefined;
}

/**
 * Why such a job cannot be compared like this: it ran until its own comparisons were decided, and what depends on its results when it stops is no sample
 * for any other question. Undefined where none is among the jobs, or where its own comparisons are asked for.
 */
export function looksForbid(jobs: readonly FinishedJob[], others: number): string | undefined {
  const stopped = jobs.find(({ lock }) => lock.untilDecided !== undefined);
  if (!stopped || jobs.length + others === 1) return undefined;
  return `${stopped.folder} ran with --until-decided, so its own results decided when it ended: only its own comparisons can be read from it, by itself`;
}

/** @throws ConfigError for a baseline that the job's looks were not made with */
export function requireLooks(jobs: readonly FinishedJob[], pairs: readonly (readonly [AnyArm, AnyArm])[]): void {
  const [job] = jobs;
  const looks = job && looksOf(job);
  if (!looks) return;
  const missing = pairs.find(([a, b]) => !followedPair(looks, a, b));
  if (missing)
    throw new ConfigError(
      `--baseline: ${job.folder} ran with --until-decided, and ${missing[0].name} and ${missing[1].name} were not looked at; it compares ${looks.pairs.map(({ a, b }) => `${b} with ${a}`).join(", ")}.`,
    );
}

export const followedPair = ({ pairs }: Looks, a: AnyArm, b: AnyArm): FollowedPair | undefined =>
  pairs.find((pair) => pair.a === a.configuration && pair.b === b.configuration);

/**
 * B − A on the tasks that were looked at: what is estimated is the same as ever, p is 1/e and the interval the one that is valid whenever one looks.
 * `margin`: also the p of "the difference is ±margin or more", from the same bets.
 */
export function sequentialDifference(
  pair: FollowedPair,
  arms: readonly [AnyArm, AnyArm],
  o: ReadBy & { readonly comparisons: number; readonly margin: number | undefined },
): Difference {
  const [a, b] = arms.map((arm) => onTasks(arm, new Set(pair.tasks))) as [AnyArm, AnyArm]; // two in, two out
  const plain = compareArms(a, b, { ...o, missing: undefined });
  const { low, high, eValue: e, differences } = estimateOf(pair, o.reading);
  const { margin } = o;
  return {
    ...plain,
    test: "e-process",
    p: Math.min(1, 1 / e),
    newTasks: { ...plain.newTasks, low, high },
    cautious: { ...plain.cautious, low, high },
    thisSuite: null,
    // half of the interval in place of z·se: the same reach, with the width that looking costs
    couldHaveSeen: Math.min(1, (high - low) / 2 + normalQuantile(0.8) * plain.newTasks.se),
    ...(margin === undefined
      ? {}
      : { equivalenceP: Math.min(1, Math.max(1 / eValue(differences, margin), 1 / eValue(differences, -margin))) }),
  };
}

const onTasks = (arm: AnyArm, tasks: ReadonlySet<string>): AnyArm => ({
  ...arm,
  tasks: new Map([...arm.tasks].filter(([task]) => tasks.has(task))),
});
