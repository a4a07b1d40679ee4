import type { Analyzed } from "../../analyzer/analysis/analyze.ts";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import { oneLine, printableData } from "../../harness/text/printable.ts";
import { countsOf, heldBy, predictionOf } from "../content/issue-lines.ts";
import { headline } from "../content/verdict-lines.ts";
import { displayWidth } from "../text/display-width.ts";
import { wrapped } from "../text/wrapped.ts";
import { ranking } from "./comparison/comparison.ts";

/** A verdict and the configurations: what a tour shows of a comparison. */
export function comparisonAtAGlance(given: ComparisonReport, width: number): string[] {
  const report = printableData({ ...given, pairs: given.pairs.map((pair) => ({ ...pair, readings: pair.readings.slice(0, 1) })) });
  return [wrapped(headline(report), "", width), ...ranking(report, { all: false, width })];
}

const mostIssues = 2;

/** The issues that cost most, three lines each. */
export function analysisAtAGlance({ issues, runs }: Analyzed, width: number): string[] {
  const configurations = new Set(runs.map(({ configuration }) => configuration)).size;
  const open = issues.filter(({ status }) => status !== "rejected" && status !== "completed");
  return [
    ...open
      .slice(0, mostIssues)
      .flatMap((issue) => [
        ...inOneOrTwo(`#${issue.number}  ${oneLine(issue.title)}`, `${countsOf(issue)}   ${heldBy(issue, configurations)}`, width),
        `    ${issue.patch === null ? "advice" : "suggested"}: ${oneLine(issue.suggestion)}`,
        `    predicted: ${predictionOf(issue)}`,
      ]),
    ...(open.length > mostIssues ? [`… ${open.length - mostIssues} more`] : []),
  ];
}

const inOneOrTwo = (first: string, second: string, width: number): string[] =>
  displayWidth(`${first}   ${second}`) <= width ? [`${first}   ${second}`] : [first, `    ${second}`];
