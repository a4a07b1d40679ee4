import type { Improvement } from "../../analyzer/improve/improvement.ts";
import type { PlanFile } from "../../analyzer/improve/improvement-plan.ts";
import { printableData } from "../../harness/text/printable.ts";
import {
  costLine,
  keptLine,
  patchLines,
  planLines,
  predictionLine,
  runsLine,
  screenRows,
  testRows,
  whyLines,
} from "../content/improvement-lines.ts";
import { dollars, duration, plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { nextSteps } from "../text/next-steps.ts";
import { wrapped } from "../text/wrapped.ts";

/** What an improvement would do, before it is agreed to. */
export function describeImprovementPlan(
  file: PlanFile,
  o: {
    readonly trials: { readonly screen: number; readonly test: number };
    /** Measured on the job: of a trial, at as many a time as here. */
    readonly each: { readonly ms: number; readonly usd: number | null };
    readonly halfWidth: number | null;
    readonly budgetMs: number | undefined;
    readonly simulated: boolean;
    readonly refused: Improvement["refusedRuns"];
  },
): string {
  const { plan, hash } = printableData(file);
  const { trials, each } = o;
  const all = trials.screen + trials.test;
  const time = (count: number): string => `${count} trials, about ${duration(each.ms * count)}`;
  const over = o.budgetMs !== undefined && each.ms * all > o.budgetMs;
  return [
    `Plan ${hash.slice(0, 12)}: improve ${plan.source.configuration}`,
    ...[...planLines(plan, o.refused), ...patchLines(plan)].map((line) => wrapped(line, "  ")),
    `  Screening  ${time(trials.screen)}`,
    `  Test       ${time(trials.test)}`,
    `  Cost       ${each.usd === null ? "not known" : dollars(each.usd * all)}`,
    ...(o.simulated ? ["  The model is simulated: the verdict will be withheld."] : []),
    ...(o.halfWidth === null
      ? []
      : [
          wrapped(
            `Planned half-width at ${plural(plan.test.length, "test family", "test families")}: ${(o.halfWidth * 100).toFixed(1)} points. Smaller differences cannot be shown.`,
            "  ",
          ),
        ]),
    ...(over
      ? [
          wrapped(
            `That is longer than the budget of ${duration(o.budgetMs ?? 0)}: it will stop before its end, and the same command resumes it.`,
            "  ",
          ),
        ]
      : []),
  ].join("\n");
}

/** The page of an improvement: what failed, what was changed, what it did on tasks that nobody saw, what it took. */
export function describeImprovement(whole: Improvement): string {
  const made = printableData(whole);
  const rows = screenRows(made);
  const test = testRows(made);
  return [
    wrapped(made.headline, ""),
    "",
    "What failed",
    wrapped(runsLine(made), "  "),
    "",
    "What was changed",
    ...patchLines(made.plan).map((line) => wrapped(line, "  ")),
    "",
    "What was screened (develop families; effects are selected, inflated)",
    plainTable(rows[0] ?? [], rows.slice(1)),
    ...(test.length > 0
      ? [
          "",
          `What was shown (${plural(made.plan.test.length, "test family", "test families")}, once)`,
          plainTable(test[0] ?? [], test.slice(1)),
        ]
      : []),
    "",
    ...whyLines(made).map((line) => wrapped(line, "")),
    wrapped(keptLine(made), ""),
    ...made.predictions.map((score) => wrapped(predictionLine(score), "")),
    wrapped(costLine(made), ""),
    "",
    `Plan ${made.planHash}`,
    ...(made.freeze ? [`Freeze ${made.freeze.hash}`] : []),
    `Report: ${made.folder}/report.md`,
    ...(made.test ? [nextSteps([["Look", `compare ${made.test.job}`]])] : []),
  ].join("\n");
}
