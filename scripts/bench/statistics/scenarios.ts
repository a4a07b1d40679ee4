import type { Scenario } from "./simulate.ts";

/** Scenarios that are read together, with what they are to show. */
export interface Group {
  readonly title: string;
  readonly asks: "false verdicts" | "coverage" | "power";
  readonly scenarios: readonly Scenario[];
}

const repeats = [1, 3, 5];
const over = (tasks: readonly number[], scenario: Omit<Scenario, "tasks" | "repeats">): Scenario[] =>
  tasks.flatMap((n) => repeats.map((k): Scenario => ({ ...scenario, tasks: n, repeats: k })));
const decided = [15, 24, 89];
const all = [10, ...decided];

/** Everything that `docs/lab/statistics.md` shows. */
export const groups: readonly Group[] = [
  { title: "one agent twice", asks: "false verdicts", scenarios: over(all, { truth: "same" }) },
  { title: "two agents of equal mean", asks: "false verdicts", scenarios: over(all, { truth: "unlike" }) },
  {
    title: "drift: every chance falls by 60 % until the job ends",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", conditions: { drift: 0.6 } }),
  },
  {
    title: "losses by arm: 2 % of A, 10 % of B, more of hard tasks",
    asks: "false verdicts",
    scenarios: over(decided, {
      truth: "unlike",
      against: true,
      conditions: { lossA: { chance: 0.02, of: "hard" }, lossB: { chance: 0.1, of: "hard" } },
    }),
  },
  {
    title: "losses by outcome: 20 % of B's failures",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", against: true, conditions: { lossB: { chance: 0.2, of: "failures" } } }),
  },
  {
    title: "losses by outcome: 20 % of A's passes",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", against: true, conditions: { lossA: { chance: 0.2, of: "passes" } } }),
  },
  { title: "stopped early, a look after every task", asks: "false verdicts", scenarios: over(decided, { truth: "unlike", way: "early" }) },
  {
    title: "stopped early, losses by outcome: 20 % of A's passes",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", way: "early", conditions: { lossA: { chance: 0.2, of: "passes" } } }),
  },
  {
    title: "20 comparisons with one baseline on one suite",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", way: "reused" }),
  },
  { title: "two agents as they are", asks: "coverage", scenarios: over(all, { truth: "real" }) },
  { title: "15 points more, on the tasks that failed", asks: "power", scenarios: over(all, { truth: "lifted" }) },
  { title: "15 points more, towards another agent", asks: "power", scenarios: over(all, { truth: "towards" }) },
  { title: "15 points more, stopped early", asks: "power", scenarios: over(decided, { truth: "lifted", way: "early" }) },
  {
    title: "the difference that planning announces for 80 %",
    asks: "power",
    scenarios: over(all, { truth: "lifted", points: "announced" }),
  },
];

/** What the design was tried with and found wanting: the same losses, judged by the two readings alone; arms one after the other. */
export const wanting: readonly Group[] = [
  {
    title: "losses by outcome: 20 % of A's passes, two readings only",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", conditions: { lossA: { chance: 0.2, of: "passes" } } }),
  },
  {
    title: "losses by outcome: 20 % of B's failures, two readings only",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", conditions: { lossB: { chance: 0.2, of: "failures" } } }),
  },
  {
    title: "losses by arm, two readings only",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", conditions: { lossA: { chance: 0.02, of: "hard" }, lossB: { chance: 0.1, of: "hard" } } }),
  },
  {
    title: "stopped early, the tasks that favour B first (Forge draws the order)",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", way: "early", bestFirst: true }),
  },
  {
    title: "the same drift, one arm after the other (Forge never does)",
    asks: "false verdicts",
    scenarios: over(decided, { truth: "unlike", conditions: { drift: 0.6, oneAfterTheOther: true } }),
  },
];
