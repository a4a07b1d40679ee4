import type { JobReport } from "../../evals/report/job-report.ts";
import { ledgerLine, remarks } from "../content/comparison-lines.ts";
import { setting } from "../content/report-lines.ts";
import { headline, verdictLines } from "../content/verdict-lines.ts";
import { contentPolicy } from "./content-policy.ts";
import { markup, type Markup } from "./markup.ts";
import { pageStyle } from "./page-style.ts";
import { allTrials } from "./sections/all-trials.ts";
import { configurations } from "./sections/configurations.ts";
import { cost } from "./sections/cost.ts";
import { differences } from "./sections/differences.ts";
import { distributions } from "./sections/distributions.ts";
import { flips } from "./sections/flips.ts";
import { heatMap } from "./sections/heat-map.ts";
import { interventions } from "./sections/interventions.ts";
import { changes, reproduce } from "./sections/origin.ts";
import { outcomes } from "./sections/outcomes.ts";
import type { RunAddress } from "./sections/run-link.ts";
import { sectionMarkup } from "./sections/section.ts";

/** Verdicts that stand above everything else. */
const mostLines = 30;
/** Configurations of a page that a mail takes. */
const mostArms = 60;

/** A job as one HTML file: no script, nothing from elsewhere. `address`: of a run's folder, as the page links to it. */
export function jobPage(whole: JobReport, address: RunAddress): string {
  const { comparison } = whole;
  const report = ofFirst(whole, mostArms);
  const lack = whole.arms.length - report.arms.length;
  const verdicts = verdictLines(comparison);
  const title = `${comparison.suite}${comparison.simulated ? " (simulated)" : ""}: ${comparison.arms.map((arm) => arm.name).join(", ")}`;
  const sections = [
    differences(report.comparison),
    configurations(report),
    flips(report.comparison, address),
    heatMap(report, address),
    cost(report.comparison),
    distributions(report),
    outcomes(report),
    interventions(report),
    changes(report),
    reproduce(report),
    allTrials(report, address),
  ].filter((section) => section !== undefined);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: pageStyle }}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="verdict">${headline(comparison)}</p>
${verdicts.slice(0, mostLines).map((line) => markup`<p>${line}</p>`)}
${verdicts.length > mostLines ? markup`<p>${verdicts.length - mostLines} more comparisons are below.</p>` : undefined}
${comparison.shortcomings.map((line) => markup`<p class="warn">${line}.</p>`)}
${lack > 0 ? markup`<p class="warn">This page shows the first ${mostArms} configurations of ${whole.arms.length}: forge report --json has all.</p>` : undefined}
<p class="setting">${setting(whole)}${begun(whole)}.</p>
${asides(report)}
<nav aria-label="Contents"><ul>${sections.map(({ id, title: text }) => markup`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>
</header>
<main>
${sections.map((section) => markup`${sectionMarkup(section)}\n`)}</main>
<footer>Written by <code>forge report</code>. How the numbers are made: docs/compare.md of Forge.</footer>
</body>
</html>
`;
  return page.html;
}

/** Of very many configurations the first, and what was compared among them. */
function ofFirst(report: JobReport, most: number): JobReport {
  if (report.arms.length <= most) return report;
  const { comparison } = report;
  const arms = comparison.arms.slice(0, most);
  const names = new Set(arms.map(({ name }) => name));
  const among = ({ a, b }: { readonly a: string; readonly b: string }): boolean => names.has(a) && names.has(b);
  return {
    ...report,
    arms: report.arms.filter((arm) => names.has(arm.name)),
    changes: report.changes.filter(among).slice(0, most),
    comparison: { ...comparison, arms, pairs: comparison.pairs.filter(among) },
  };
}

function asides({ comparison }: JobReport): Markup | undefined {
  const ledger = ledgerLine(comparison);
  const lines = [...remarks(comparison), ...(ledger === undefined ? [] : [ledger])];
  return lines.length > 0 ? markup`<ul class="remarks">${lines.map((line) => markup`<li>${line}</li>`)}</ul>` : undefined;
}

const begun = ({ startedAt, lastStartedAt }: JobReport): string =>
  startedAt === null || lastStartedAt === null ? "" : `; trials started ${day(startedAt)} to ${day(lastStartedAt)} UTC`;

const day = (unixMs: number): string => {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? "at an unknown time" : date.toISOString().slice(0, 16).replace("T", " ");
};
