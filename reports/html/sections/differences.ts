import type { PairComparison } from "../../../evals/compare/compare.ts";
import type { ComparisonReport } from "../../../evals/compare/comparison-report.ts";
import type { Estimate } from "../../../evals/statistics/interval.ts";
import { bracketed, points, probability, readingName, signed, unitsText } from "../../content/comparison-lines.ts";
import { pointsSize } from "../../../harness/text/figures.ts";
import { plural } from "../../text/format.ts";
import { axis } from "../charts/axis.ts";
import { interval } from "../charts/interval.ts";
import { linearScale } from "../charts/scale.ts";
import { markup, name, type Markup } from "../markup.ts";
import { dataTable, folded, type Section } from "./section.ts";
import { withinBytes } from "./within-bytes.ts";

interface Row {
  readonly pair: PairComparison;
  readonly estimand: string;
  readonly estimate: Estimate;
  readonly p: string;
  /** What the verdict rests on. */
  readonly main: boolean;
}

/** Of the page, which a mail takes. */
const mostBytes = 150_000;

/** The forest plot: each difference with its interval, on one scale. */
export function differences(report: ComparisonReport): Section | undefined {
  const rows = report.pairs.flatMap(rowsOf);
  if (rows.length === 0) return undefined;
  const { margin } = report;
  const ends = rows.flatMap(({ estimate }) => [estimate.low, estimate.high]);
  const scale = linearScale(Math.min(-0.05, -(margin ?? 0), ...ends), Math.max(0.05, margin ?? 0, ...ends), 8);
  const { shown: plot, left } = withinBytes(
    report.pairs,
    mostBytes,
    (
      pair,
    ) => markup`<div class="pair"><h3>${name(bracketed(pair.b))} − ${name(bracketed(pair.a))} <span class="tag ${tagOf(pair)}">${pair.verdict.word}</span></h3>
<p class="side" aria-hidden="true"><span>◂&nbsp;${name(pair.a)} better</span><span>${name(pair.b)} better&nbsp;▸</span></p>
${rows
  .filter((row) => row.pair === pair)
  .map(
    ({ estimand, estimate, p, main }) =>
      markup`<div class="forest${main ? " main" : ""}"><span class="what">${estimand}</span>${interval(estimate, scale, { says: `${estimand}: ${points(estimate)}`, quiet: !main, margin, strong: 0 })}<span class="number">${points(estimate)}<br><small>${p}</small></span></div>`,
  )}</div>`,
  );
  const plotted = new Set(report.pairs.slice(0, plot.length));
  const legend = `Difference in percentage points of the mean over tasks, with its 95 % interval${margin === undefined ? "" : `; shaded: the margin of ±${pointsSize(margin)} points`}. An interval that holds 0 shows no difference.`;
  return {
    id: "differences",
    title: "Differences",
    body: markup`<p class="note">${legend}</p>${plot}<div class="forest ticks"><span class="what"></span>${axis(scale, signed)}<span class="number"></span></div>${left > 0 ? markup`<p class="note">${plural(left, "comparison")} more: forge compare --json has them.</p>` : undefined}${folded("The same as a table", table(rows.filter(({ pair }) => plotted.has(pair))))}`,
  };
}

const tagOf = ({ verdict }: PairComparison): string =>
  verdict.word === "worse" || verdict.word === "worse on this suite only"
    ? "bad"
    : verdict.word === "better" || verdict.word === "equivalent"
      ? "good"
      : "open";

function rowsOf(pair: PairComparison): Row[] {
  const [main] = pair.readings;
  if (!main) return [];
  const told = pair.lost > 0 ? pair.readings : [main];
  return [
    ...told.map((one, i): Row => ({
      pair,
      estimand: `new tasks${pair.lost > 0 ? `, trials without a score ${readingName[one.reading]}` : ""}`,
      estimate: one.newTasks,
      p: `${probability(one.adjustedP)} (Holm), ${unitsText(one)}`,
      main: i === 0,
    })),
    ...(main.thisSuite
      ? [
          {
            pair,
            estimand: "this suite alone",
            estimate: main.thisSuite,
            p: `${probability(main.adjustedSuiteP ?? 1)} (Holm)`,
            main: false,
          },
        ]
      : []),
  ];
}

const table = (rows: readonly Row[]): Markup =>
  dataTable(
    "Differences with 95 % intervals",
    [{ title: "difference" }, { title: "on" }, { title: "points [95 %]", number: true }, { title: "p", number: true }, { title: "test" }],
    rows.map(({ pair, estimand, estimate, p }) => [
      markup`${name(bracketed(pair.b))} − ${name(bracketed(pair.a))}`,
      estimand,
      points(estimate),
      p,
      pair.readings[0]?.test ?? "",
    ]),
  );
