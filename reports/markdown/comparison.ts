import type { ArmSummary } from "../../evals/arms/arm-summary.ts";
import type { PairComparison } from "../../evals/compare/compare.ts";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import {
  bracketed,
  effectName,
  gateName,
  ledgerLine,
  partingLine,
  points,
  probability,
  readingName,
  remarks,
  runLinks,
  share,
  signed,
  largestFlips,
  lostTold,
  shortened,
  tornLines,
  byTasks,
  unitsText,
} from "../content/comparison-lines.ts";
import { armTable } from "../content/arm-table.ts";
import { settingOf } from "../content/comparison-page.ts";
import { headline, verdictLines } from "../content/verdict-lines.ts";
import { pointsSize } from "../../harness/text/figures.ts";
import { percent, plural } from "../text/format.ts";
import { table } from "./table.ts";
import { inline } from "./inline.ts";

/** A comparison as the comment of a pull request: the answer first, what it rests on folded below. */
export function comparisonMarkdown(report: ComparisonReport): string {
  const ledger = ledgerLine(report);
  const blocks = [
    `### ${inline(report.suite)}${report.simulated ? " (simulated)" : ""}`,
    ...(report.gate ? [`**Gate ${gateName[report.gate.answer]}.** ${inline(report.gate.why)}`] : []),
    `**${inline(headline(report))}**`,
    inline(settingOf(report)),
    ...verdictLines(report).map(inline),
    ...report.shortcomings.map((one) => `${inline(one)}.`),
    sideBySide(report.arms),
    ...(report.grid ? [gridTable(report.arms)] : []),
    ...report.pairs.map(pairBlock),
    ...[...remarks(report), ...(ledger === undefined ? [] : [ledger])].map((one) => `<sub>${inline(one)}</sub>`),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The same table as in the terminal. */
function sideBySide(arms: readonly ArmSummary[]): string {
  const { head, rows, note } = armTable(arms, { interval: true });
  const text = table(
    head.map((name, i) => (i === 0 ? "configuration" : name)),
    rows.map((row) => row.map(inline)),
  );
  return note === undefined ? text : `${text}\n\n${note}`;
}

function gridTable(arms: readonly ArmSummary[]): string {
  const models = [...new Set(arms.map((arm) => arm.model))];
  const rows = [...new Set(arms.map((arm) => arm.harnessHash))].map((hash) => {
    const row = arms.filter((arm) => arm.harnessHash === hash);
    const cells = models.map((model) => row.find((arm) => arm.model === model));
    return [
      [...new Set(row.map((arm) => inline(arm.configuration)))].join("/"),
      ...cells.map((arm) => (arm ? percent(arm.rate.value) : "")),
    ];
  });
  return table(["harness \\\\ model", ...models.map(inline)], rows);
}

function pairBlock(pair: PairComparison): string {
  const title = `${inline(bracketed(pair.b))} − ${inline(bracketed(pair.a))} (${effectName[pair.of]})`;
  const rows = pair.readings.flatMap((one) => [
    [
      `new tasks${pair.lost > 0 ? `, trials without a score ${readingName[one.reading]}` : ""}`,
      points(one.newTasks),
      probability(one.adjustedP),
    ],
  ]);
  const [main] = pair.readings;
  const suite = main?.thisSuite ? [["this suite", points(main.thisSuite), probability(main.adjustedSuiteP ?? 1)]] : [];
  const equal = main && main.equivalenceP !== null ? [["equivalence (TOST)", "", probability(main.equivalenceP)]] : [];
  const shown = pair.lost > 0 ? rows : rows.slice(0, 1);
  const leftOut = shortened(pair.leftOut);
  return [
    `<details><summary>${title}: ${main ? unitsText(main) : "0 tasks"}, ${plural(pair.flips.length, "flip")}</summary>`,
    table([`difference, ${main?.test ?? ""}`, "points [95 %]", "p (Holm)"], [...shown, ...suite, ...equal]),
    ...(main && byTasks(main) !== undefined ? [`${byTasks(main)}.`] : []),
    ...(pair.lost > 0 ? [`${lostTold(pair)}.`] : []),
    ...(pair.flips.length > 0 ? [flipTable(pair)] : []),
    ...(leftOut.shown.length > 0 ? [`Not in both: ${leftOut.shown.map(inline).join(", ")}${andMore(leftOut.more)}.`] : []),
    ...(pair.groups.length > 0 ? [groupTable(pair)] : []),
    "</details>",
  ].join("\n\n");
}

const andMore = (more: number): string => (more > 0 ? ` and ${more} more with --json` : "");

function flipTable(pair: PairComparison): string {
  const { shown, more } = largestFlips(pair.flips);
  const rows = table(
    ["task", "change", "mean", "runs and where they part"],
    shown.map((flip) => {
      const { a, b } = runLinks(flip);
      const parting = partingLine(flip);
      const cell = [a, b, parting, ...tornLines(flip, pair)].flatMap((one) => (one === undefined ? [] : [inline(one)])).join("<br>");
      return [inline(flip.task), flip.change, `${share(flip.a)} → ${share(flip.b)}`, cell];
    }),
  );
  return more > 0 ? `${rows}\n\nThe largest changes; ${more} more with --json.` : rows;
}

const groupTable = ({ groups }: PairComparison): string =>
  `Exploratory, never a result by itself:\n\n${table(
    ["group", "tasks", "counted", "shrunken ± 95 %"],
    groups.map(({ by, name, tasks, raw, shrunken, se }) => [
      `${by} ${inline(name)}`,
      String(tasks),
      signed(raw),
      `${signed(shrunken)} ± ${pointsSize(1.96 * se)}`,
    ]),
  )}`;
