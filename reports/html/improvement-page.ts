import { stringify } from "yaml";
import type { Improvement } from "../../analyzer/improve/improvement.ts";
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
import { contentPolicy } from "./content-policy.ts";
import { block, markup, type Markup } from "./markup.ts";
import { pageStyle } from "./page-style.ts";

/** An improvement as one HTML file: no script, nothing from elsewhere. */
export function improvementPage(made: Improvement): string {
  const { plan, test, freeze } = made;
  const title = `Improvement of ${plan.source.configuration}`;
  const section = (heading: string, body: Markup): Markup => markup`<section><h2>${heading}</h2>${body}</section>\n`;
  const paragraphs = (lines: readonly string[]): Markup => markup`${lines.map((line) => markup`<p>${line}</p>`)}`;
  const changes = plan.patches.map(({ change }, i) => markup`<p>${patchLines(plan)[i]}</p><pre>${block(stringify(change))}</pre>`);
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
<p class="verdict">${made.headline}</p>
</header>
<main>
${section("What failed", paragraphs([runsLine(made)]))}
${section("What was changed", markup`${changes}`)}
${section("What was screened: selected, inflated", markup`${table(screenRows(made))}${paragraphs([...whyLines(made), keptLine(made), ...made.predictions.map(predictionLine)])}`)}
${section("What was shown, on families that nothing was made from", test ? markup`${table(testRows(made))}${paragraphs(test.comparison.pairs.map(({ verdict }) => verdict.text))}` : paragraphs(["Nothing: there was no test."]))}
${section("What it took", paragraphs([costLine(made)]))}
${section("Plan", markup`<p><code>${made.planHash}</code>${freeze ? markup`, frozen as <code>${freeze.hash}</code>` : undefined}</p>${paragraphs(planLines(plan, made.refusedRuns))}<pre>${block(made.commands.join("\n"))}</pre>`)}
</main>
<footer>Written by <code>forge improve</code>. How the numbers are made: docs/improve.md of Forge.</footer>
</body>
</html>
`;
  return page.html;
}

const table = ([head = [], ...rows]: readonly (readonly string[])[]): Markup =>
  markup`<div class="scroll"><table><thead><tr>${head.map((cell) => markup`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
