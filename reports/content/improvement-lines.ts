import type { Improvement, Spent } from "../../analyzer/improve/improvement.ts";
import type { ImprovementPlan } from "../../analyzer/improve/improvement-plan.ts";
import type { PredictionScore } from "../../analyzer/improve/score-predictions.ts";
import { probability } from "../../harness/text/figures.ts";
import { count, dollars, duration, percent, plural } from "../text/format.ts";

/** Why it is kept or not has a line of its own: a table would be too wide. */
export const whyLines = ({ screens }: Improvement): string[] =>
  screens.flatMap(({ issue, kept, why }) => (kept === undefined ? [] : [`${issue}: ${why}.`]));

const points = (share: number | null): string => (share === null ? "–" : `${share >= 0 ? "+" : "−"}${Math.abs(share * 100).toFixed(1)}`);

export function planLines(plan: ImprovementPlan, refused: Improvement["refusedRuns"]): string[] {
  return [
    `Read: ${plural(plan.source.digests.length, "run")} of develop families, ${plan.source.failed} of them failed; not read: ${refused.test} of test families.`,
    `Split: ${plan.rule}.`,
    `Develop (${plan.develop.length}): ${plan.develop.join(", ")}`,
    `Test (${plan.test.length}): ${plan.test.join(", ")}`,
    `Levels: ${plan.levels.join(", ")}; fresh tasks a family: ${plan.screenSeeds} to screen, ${plan.testSeeds} to test`,
  ];
}

export const patchLines = ({ patches }: ImprovementPlan): string[] =>
  patches.map(({ issue, title, suggestion }) => `${issue}  ${suggestion} (${title})`);

export function runsLine({ plan, refusedRuns, job }: Improvement): string {
  const { test, otherConfigurations, unreadable } = refusedRuns;
  const more = [
    ...(test > 0 ? [`${test} of test families`] : []),
    ...(otherConfigurations > 0 ? [`${otherConfigurations} of other configurations`] : []),
    ...(unreadable > 0 ? [`${unreadable} that cannot be read`] : []),
  ];
  return `${plan.source.failed} of ${plural(plan.source.digests.length, "run")} of ${plan.source.configuration} (${plan.source.model}) in ${job}; left out: ${more.length > 0 ? more.join(", ") : "none"}.`;
}

/** A head and a row a patch. */
export const screenRows = ({ screens }: Improvement): string[][] => [
  ["patch", "pairs", "base", "with it", "points", "90 % interval", "p", "kept"],
  ...screens.map((one) => [
    one.issue,
    one.pairs === one.planned ? `${one.pairs}` : `${one.pairs} of ${one.planned}`,
    `${one.passed.base}`,
    `${one.passed.patch}`,
    points(one.mean),
    one.interval === null ? "–" : `${points(one.interval[0])} to ${points(one.interval[1])}`,
    one.p === null ? "–" : probability(one.p).replace("p = ", ""),
    one.kept === undefined ? "open" : one.kept ? "yes" : "no",
  ]),
];

/** A head and a row an arm; nothing where no test was run. */
export function testRows({ test }: Improvement): string[][] {
  if (!test) return [];
  const { arms } = test.comparison;
  const perTrial = (sum: number | null, trials: number): number | null => (sum === null || trials === 0 ? null : sum / trials);
  return [
    ["configuration", "passed", "rate", "tokens/trial", "turns/trial", "time/trial"],
    ...arms.map((arm) => [
      arm.name,
      `${arm.passed}/${arm.trials}`,
      percent(arm.rate.value),
      count(perTrial(arm.tokens.in === null || arm.tokens.out === null ? null : arm.tokens.in + arm.tokens.out, arm.trials)),
      perTrial(arm.turns, arm.trials)?.toFixed(1) ?? "–",
      duration(perTrial(arm.activeMs, arm.trials)),
    ]),
  ];
}

export function keptLine({ screens, freeze, improved, testsBefore }: Improvement): string {
  if (screens.some(({ kept }) => kept === undefined)) return "Kept: not decided, since screening has not ended.";
  if (!freeze || improved === undefined) return "Kept: none. The test families are unused.";
  const before = testsBefore > 0 ? ` ${plural(testsBefore, "other plan")} tested on these families before.` : "";
  return `Kept: ${freeze.freeze.kept.join(", ")}, together in ${improved}.${before}`;
}

export function predictionLine({ issue, fixes, elsewhere, atRisk, notAtRisk }: PredictionScore): string {
  return (
    `Predictions of ${issue}: in families it should fix ${fixes.came} of ${fixes.of} failures passed, elsewhere ${elsewhere.came} of ${elsewhere.of}; ` +
    `in families at risk ${atRisk.broke} of ${atRisk.of} passes broke, elsewhere ${notAtRisk.broke} of ${notAtRisk.of}.`
  );
}

export function costLine({ spent }: Improvement): string {
  const part = (name: string, { trials, planned, tokens, trialMs, costUsd }: Spent): string =>
    `${name} ${trials} of ${planned} trials, ${count(tokens.in + tokens.out)} tokens, ${duration(trialMs)}, ${costUsd === null ? "cost not known" : dollars(costUsd)}`;
  return `Spent: ${part("screening", spent.screen)}; ${part("test", spent.test)}.`;
}
