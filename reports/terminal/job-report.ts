import type { JobReport } from "../../evals/report/job-report.ts";
import { ledgerLine, remarks } from "../content/comparison-lines.ts";
import { followedLine, outcomeRows, setting, tornRuns } from "../content/report-lines.ts";
import { headline, verdictLines } from "../content/verdict-lines.ts";
import { plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { nextSteps } from "../text/next-steps.ts";
import { hanging, wrapped } from "../text/wrapped.ts";
import { printableData } from "../../harness/text/printable.ts";
import { pageWidth } from "../text/display-width.ts";
import { verdictRows } from "./comparison/comparison.ts";
import { armFigures } from "./comparison/comparison-details.ts";

/** The report in a screenful: the answer first, then what a reader asks next. The page has the rest. */
export function describeReport(given: JobReport): string {
  const report = printableData(summaryOf(given)); // names of tasks, configurations and folders come out of the jobs' files
  const { comparison } = report;
  const ledger = ledgerLine(comparison);
  const [model, other] = new Set(comparison.arms.map((arm) => arm.model));
  const parts = [
    [
      ...verdictRows(headline(comparison), pageWidth()),
      ...verdictLines(comparison).map((line) => `  ${line}`),
      ...comparison.shortcomings.map((line) => `${line}.`),
      [
        `${comparison.suite}${comparison.simulated ? " (simulated)" : ""}: ${setting(report)}`,
        ...(model !== undefined && other === undefined ? [model] : []),
      ].join(", "),
    ]
      .map((line) => hanging(line))
      .join("\n"),
    armFigures(comparison.arms),
    comparison.pairs.map((pair) => hanging(flipLine(pair))).join("\n"),
    plainTable(
      ["how trials ended", ...report.arms.map((arm) => arm.name)],
      outcomeRows(report).map(({ outcome, counts }) => [outcome, ...counts]),
    ),
    interventionTable(report).join("\n"),
    [
      ...report.changes.map(
        ({ a, b, parts: changed }) => `${a} → ${b}: ${changed.length > 0 ? changed.join("; ") : "no recorded difference"}`,
      ),
      ...remarks(comparison),
      ...(ledger === undefined ? [] : [ledger]),
    ]
      .map((line) => hanging(line))
      .join("\n"),
    nextSteps([["As a page", `report ${comparison.jobs.join(" ")} --html report.html`]]),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Without what the summary does not show: cleaning a large job's readings and flips would take longer than all else. */
const summaryOf = (report: JobReport): JobReport => ({
  ...report,
  comparison: {
    ...report.comparison,
    pairs: report.comparison.pairs.map((pair) => ({ ...pair, readings: pair.readings.map((one) => ({ ...one, flips: [] })) })),
  },
});

function flipLine({ a, b, flips }: JobReport["comparison"]["pairs"][number]): string {
  const of = (change: "fixed" | "broken"): string => {
    const tasks = flips.filter((flip) => flip.change === change).map(({ task }) => task);
    const named = tasks.length > 6 ? [...tasks.slice(0, 6), "…"] : tasks;
    return `${tasks.length} ${change}${tasks.length > 0 ? ` (${named.join(", ")})` : ""}`;
  };
  return `${a} → ${b}: ${of("fixed")}, ${of("broken")}`;
}

function interventionTable({ interventions: { rows, unread, torn } }: JobReport): string[] {
  const lack = [
    ...(unread > 0 ? [`The traces of ${plural(unread, "run")} could not be read.`] : []),
    ...(torn > 0 ? [tornRuns(torn)] : []),
  ];
  if (rows.length === 0) return lack;
  const table = plainTable(
    ["interventions", "times", "passed runs", "what followed"],
    rows.map((row) => [
      `${row.middleware}: ${row.change}\n${row.arm}`,
      row.times,
      `${row.passed}/${row.runs}`,
      wrapped(followedLine(row.followed), "", Math.max(24, pageWidth() - 60)),
    ]),
    { left: true },
  );
  return [table, ...lack];
}
