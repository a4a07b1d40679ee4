import type { JobReport } from "../../evals/report/job-report.ts";
import type { TrialFacts } from "../../evals/report/trial-facts.ts";
import { followedLine, outcomeRows, reproduceSteps, setting, tornRuns } from "../content/report-lines.ts";
import { share } from "../content/comparison-lines.ts";
import { percent, plural } from "../text/format.ts";
import { comparisonMarkdown } from "./comparison.ts";
import { inline } from "./inline.ts";
import { table } from "./table.ts";

/** A job as Markdown: the comparison with its answer first, then tasks, classes, interventions, what is different, and the commands. */
export function jobReportMarkdown(report: JobReport): string {
  const { comparison, arms, interventions, changes } = report;
  const names = arms.map((arm) => inline(arm.name));
  const curves = arms.filter(({ passCurve }) => passCurve.length > 1);
  const blocks = [
    comparisonMarkdown(comparison).trimEnd(),
    inline(`${setting(report)}.`),
    ...(curves.length > 0
      ? [
          "#### Over repeats",
          table(
            ["configuration", "k", "pass@k", "pass^k"],
            curves.flatMap((arm) => arm.passCurve.map(({ k, any, all }) => [inline(arm.name), String(k), percent(any), percent(all)])),
          ),
        ]
      : []),
    "#### Tasks",
    table(["task", ...names], taskRows(report)),
    "#### How trials ended",
    table(
      ["class", ...names],
      outcomeRows(report).map(({ outcome, counts }) => [inline(outcome), ...counts.map(String)]),
    ),
    ...(interventions.rows.length > 0
      ? [
          "#### Interventions",
          table(
            ["middleware", "configuration", "what it did", "times", "passed runs", "what followed"],
            interventions.rows.map((row) => [
              inline(row.middleware),
              inline(row.arm),
              inline(row.change),
              String(row.times),
              `${row.passed}/${row.runs}`,
              followedLine(row.followed),
            ]),
          ),
        ]
      : []),
    ...(interventions.unread > 0 ? [`The traces of ${plural(interventions.unread, "run")} could not be read.`] : []),
    ...(interventions.torn > 0 ? [tornRuns(interventions.torn)] : []),
    ...(changes.length > 0
      ? [
          "#### What is different",
          changes
            .map(
              ({ a, b, parts }) =>
                `- ${inline(a)} → ${inline(b)}: ${parts.length > 0 ? parts.map(inline).join("; ") : "nothing that was recorded"}`,
            )
            .join("\n"),
        ]
      : []),
    "#### To reproduce",
    reproduceSteps(report)
      .map(({ command, what }) => `- ${inline(what)}: <code>${inline(command)}</code>`)
      .join("\n"),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function taskRows({ arms }: JobReport): string[][] {
  const cells = arms.map(({ trials }) => {
    const byTask = new Map<string, TrialFacts[]>();
    for (const trial of trials) byTask.set(trial.task, [...(byTask.get(trial.task) ?? []), trial]);
    return byTask;
  });
  const tasks = [...new Set(cells.flatMap((cell) => [...cell.keys()]))].toSorted();
  return tasks.map((task) => [inline(task), ...cells.map((cell) => cellOf(cell.get(task) ?? []))]);
}

/** `2/3`, a mean where rewards lie between 0 and 1, or why there is none. */
function cellOf(trials: readonly TrialFacts[]): string {
  if (trials.length === 0) return "not run";
  const scores = trials.flatMap(({ score }) => score ?? []);
  if (scores.length === 0) return "no score";
  if (scores.every((score) => score === 0 || score === 1)) return `${scores.filter((score) => score === 1).length}/${scores.length}`;
  return share(scores.reduce((sum, score) => sum + score, 0) / scores.length);
}
