import { stringify } from "yaml";
import type { Improvement } from "../../analyzer/improve/improvement.ts";
import { costLine, keptLine, planLines, predictionLine, runsLine, screenRows, testRows, whyLines } from "../content/improvement-lines.ts";
import { inline } from "./inline.ts";

/** An improvement on one page. */
export function improvementMarkdown(made: Improvement): string {
  const { plan, test, freeze } = made;
  return [
    `# Improvement of ${inline(plan.source.configuration)}`,
    "",
    `**${inline(made.headline)}**`,
    "",
    "## What failed",
    "",
    inline(runsLine(made)),
    "",
    "## What was changed",
    "",
    ...plan.patches.flatMap(({ issue, title, suggestion, change, hash }) => [
      `\`${issue}\` ${inline(suggestion)} (${inline(title)}), harness \`${hash.slice(0, 12)}\``,
      "",
      "````yaml",
      stringify(change, { lineWidth: 140, flowCollectionPadding: true }).trimEnd(),
      "````",
      "",
    ]),
    "## What was screened: selected, inflated",
    "",
    ...table(screenRows(made)),
    "",
    ...whyLines(made).map((line) => `- ${inline(line)}`),
    "",
    inline(keptLine(made)),
    "",
    ...made.predictions.map((score) => `- ${inline(predictionLine(score))}`),
    "",
    "## What was shown, on families that nothing was made from",
    "",
    ...(test
      ? [...table(testRows(made)), "", ...test.comparison.pairs.map(({ verdict }) => inline(verdict.text))]
      : ["Nothing: there was no test."]),
    "",
    "## What it took",
    "",
    inline(costLine(made)),
    "",
    "## Plan",
    "",
    `\`${made.planHash}\`${freeze ? `, frozen as \`${freeze.hash}\`` : ""}`,
    "",
    ...planLines(plan, made.refusedRuns).map((line) => `- ${inline(line)}`),
    "",
    "```sh",
    ...made.commands.map((command) => command.replaceAll("`", "'")),
    "```",
    "",
  ].join("\n");
}

const table = ([head = [], ...rows]: readonly (readonly string[])[]): string[] => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => " --- ").join("|")}|`,
  ...rows.map((row) => `| ${row.map((cell) => inline(cell)).join(" | ")} |`),
];
