import { anytimeInterval, eValue } from "../../statistics/e-process.ts";
import { followPairs, type TaskPair } from "../../statistics/follow-pairs.ts";
import { mean } from "../../statistics/moments.ts";
import { scoresOf, type AnyTrial } from "../../arms/arm.ts";
import type { Study } from "../../study/study.ts";
import type { StoppingRule } from "../../study/stopping-rule.ts";

/** What was decided, by whom, and at which pair. */
export interface Decision {
  readonly a: string;
  readonly b: string;
  /** `a` or `b`. */
  readonly better: string;
  /** The task at which it was decided, and how many had been looked at with it. */
  readonly task: string;
  readonly pair: number;
  readonly eValue: number;
  readonly threshold: number;
}

/** How far a comparison has come: up to its decision, or to the last look. */
export interface FollowedPair {
  readonly a: string;
  readonly b: string;
  readonly decision: Decision | null;
  /** Tasks looked at, in their order, and what each of them, or each family, said. */
  readonly tasks: readonly string[];
  readonly seen: readonly TaskPair[];
}

/** The trials of a task with a configuration; undefined while some are still to come. */
export type CellOf = (task: string, configuration: string) => readonly AnyTrial[] | undefined;

/** Looks at a job's tasks, one after the other in the rule's order. */
export interface TrialLooks {
  /** Looks at every task that is complete, up to the first that is not, and answers what that decided. */
  advance(): readonly Decision[];
  readonly pairs: readonly FollowedPair[];
  /** Whether a comparison that is still open needs more of this configuration. */
  needs(configuration: string): boolean;
}

/**
 * The same trials give the same decisions, whatever order they ended in and however often the job was interrupted: a task, or a whole family, counts only
 * when it and all before it are complete in every arm that an open comparison needs, and what was run beyond a decision does not count for it.
 */
export function followTrials(rule: StoppingRule, { pairs }: Study, cellOf: CellOf): TrialLooks {
  const follower = followPairs(pairs.length, rule);
  const followed = pairs.map(([a, b]) => ({ a, b, decision: null as Decision | null, tasks: [] as string[], seen: [] as TaskPair[] }));
  const looks = rule.looks ?? rule.order.map(() => 1);
  let [looked, next] = [0, 0];
  const needs = (configuration: string): boolean =>
    followed.some((pair, i) => follower.isOpen(i) && (pair.a === configuration || pair.b === configuration));
  const isComplete = (task: string): boolean =>
    followed.every((pair, i) => !follower.isOpen(i) || [pair.a, pair.b].every((name) => cellOf(task, name) !== undefined));
  return {
    pairs: followed,
    needs,
    advance() {
      const made: Decision[] = [];
      for (; looked < looks.length; looked++) {
        const tasks = rule.order.slice(next, next + (looks[looked] ?? 1));
        if (!followed.some((_, i) => follower.isOpen(i)) || !tasks.every(isComplete)) return made;
        const seen = followed.map((pair, i) => {
          if (!follower.isOpen(i)) return undefined;
          const found = meanPair(tasks.map((task) => taskPair(cellOf(task, pair.a) ?? [], cellOf(task, pair.b) ?? [])));
          pair.tasks.push(...tasks);
          pair.seen.push(found);
          return found;
        });
        next += tasks.length;
        const task = tasks.at(-1) ?? "";
        for (const { comparison, sign, eValue: value, threshold } of follower.look(seen)) {
          const pair = followed[comparison];
          if (!pair) continue;
          const { a, b } = pair;
          const decision = { a, b, better: sign > 0 ? b : a, task, pair: next, eValue: Math.min(value, Number.MAX_VALUE), threshold };
          pair.decision = decision;
          made.push(decision);
        }
      }
      return made;
    },
  };
}

/** Bets are on scores from 0 to 1; one beyond counts as 0 or 1. */
function taskPair(a: readonly AnyTrial[], b: readonly AnyTrial[]): TaskPair {
  const score = (trials: readonly AnyTrial[], lost?: number): number | null => {
    const scores = scoresOf(trials, lost).map((one) => Math.min(1, Math.max(0, one)));
    return scores.length > 0 ? mean(scores) : null;
  };
  const between = (lostA?: number, lostB?: number): number | null => {
    const [x, y] = [score(a, lostA), score(b, lostB)];
    return x === null || y === null ? null : y - x;
  };
  return { excluded: between(), failed: between(0, 0) ?? 0, forA: between(1, 0) ?? 0, forB: between(0, 1) ?? 0 };
}

/** What the tasks of one family say together; of one task, what it says. */
function meanPair(pairs: readonly TaskPair[]): TaskPair {
  const [only] = pairs;
  if (only && pairs.length === 1) return only;
  const scored = pairs.flatMap(({ excluded }) => (excluded === null ? [] : [excluded]));
  const of = (reading: "failed" | "forA" | "forB"): number => mean(pairs.map((pair) => pair[reading]));
  return {
    tasks: scored.length,
    excluded: scored.length > 0 ? mean(scored) : null,
    failed: of("failed"),
    forA: of("forA"),
    forB: of("forB"),
  };
}

/** A comparison as far as it was looked at, read one way: `against` is against the side that seems better. Valid whenever one looks. */
export function estimateOf(
  { seen }: Pick<FollowedPair, "seen">,
  reading: "excluded" | "failed" | "against",
): {
  readonly differences: readonly number[];
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly eValue: number;
} {
  const plain = seen.flatMap(({ excluded }) => (excluded === null ? [] : [excluded]));
  const against = mean(plain) > 0 ? "forA" : "forB";
  const differences = reading === "excluded" ? plain : seen.map((task) => task[reading === "failed" ? "failed" : against]);
  const value = differences.length > 0 ? mean(differences) : 0;
  return { differences, value, ...anytimeInterval(differences), eValue: Math.min(eValue(differences), Number.MAX_VALUE) };
}
