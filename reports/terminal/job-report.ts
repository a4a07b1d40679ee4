import type { JobReport } from "../../evals/report/job-report.ts";
import { ledgerLine, passLines, rate, remarks } from "../content/comparison-lines.ts";
import { followedLine, outcomeRows, setting, tornRuns } from "../content/report-lines.ts";
import { headline, verdictLines } from "../content/verdict-lines.ts";
import { count, dollars, duration, percent, plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { hanging } from "../text/wrapped.ts";
import { printableData } from "../../harness/text/printable.ts";

/** The report in a screenful: the answer first, then what a reader asks next. The page has the rest. */
export function describeReport(given: JobReport): string {
  const report = printableData(summaryOf(given)); // names of tasks, configurations and folders come out of the jobs' files
  const { comparison } = report;
  const ledger = ledgerLine(comparison);
  const parts = [
    ...[
      headline(comparison),
      ...verdictLines(comparison).map((line) => `  ${line}`),
      ...comparison.shortcomings.map((line) => `${line}.`),
      `${comparison.suite}${comparison.simulated ? " (simulated)" : ""}: ${setting(report)}`,
    ].map((line) => hanging(line)),
    armTable(report),
    ...comparison.pairs.map((pair) => hanging(flipLine(pair))),
    plainTable(
      ["how trials ended", ...report.arms.map((arm) => arm.name)],
      outcomeRows(report).map(({ outcome, counts }) => [outcome, ...counts]),
    ),
    ...interventionTable(report),
    ...report.changes.map(({ a, b, parts: changed }) =>
      hanging(`${a} → ${b}: ${changed.length > 0 ? changed.join("; ") : "no recorded difference"}`),
    ),
    ...remarks(comparison).map((line) => hanging(line)),
    ...(ledger === undefined ? [] : [hanging(ledger)]),
    `As a page: forge report ${comparison.jobs.join(" ")} --html report.html`,
  ];
  return parts.join("\n");
}

/** Without what the summary does not show: cleaning a large job's readings and flips would take longer than all else. */
const summaryOf = (report: JobReport): JobReport => ({
  ...report,
  comparison: {
    ...report.comparison,
    pairs: report.comparison.pairs.map((pair) => ({ ...pair, readings: pair.readings.map((one) => ({ ...one, flips: [] })) })),
  },
});

const armTable = ({ comparison, arms }: JobReport): string =>
  plainTable(
    ["configuration", "passed", "mean over tasks [95 %]", "over repeats", "tokens in/out", "cost", "working time"],
    comparison.arms.map((arm) => {
      const last = arms.find(({ name }) => name === arm.name)?.passCurve.at(-1);
      return [
        `${arm.name}\n${arm.model}`,
        `${arm.passed}/${arm.trials - arm.unscored}${arm.unscored > 0 ? `\n${arm.unscored} without score` : ""}`,
        rate(arm.rate).replace(" [", "\n["),
        last && last.k > 1
          ? `pass@${last.k} ${percent(last.any)}\npass^${last.k} ${percent(last.all)}`
          : passLines(arm).join("").replace(", ", "\n"),
        `${count(arm.tokens.in)}/${count(arm.tokens.out)}`,
        dollars(arm.costUsd, { simulated: arm.costSimulated }),
        duration(arm.activeMs),
      ];
    }),
  );

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
    rows.map((row) => [`${row.middleware}: ${row.change}\n${row.arm}`, row.times, `${row.passed}/${row.runs}`, followedLine(row.followed)]),
  );
  return [table, ...lack];
}
