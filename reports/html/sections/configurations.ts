import type { ArmSummary } from "../../../evals/arms/arm-summary.ts";
import type { JobReport } from "../../../evals/report/job-report.ts";
import type { PassPoint } from "../../../evals/statistics/pass-curve.ts";
import { rate } from "../../content/comparison-lines.ts";
import { count, dollars, duration, percent, unknown } from "../../text/format.ts";
import { axis, place } from "../charts/axis.ts";
import { interval } from "../charts/interval.ts";
import { bandPath, linePath } from "../charts/path.ts";
import { linearScale, shareScale, type Scale } from "../charts/scale.ts";
import { markup, name, type Markup } from "../markup.ts";
import { dataTable, folded, type Section } from "./section.ts";

const whole = linearScale(0, 1);
/** Points of a curve, and how many of them have a label. */
const [mostPoints, mostLabels] = [40, 6];

/** Each configuration by itself: pass rate with interval, what it used, and how it does over repeats. */
export function configurations({ comparison, arms }: JobReport): Section {
  const rates = comparison.arms.map(
    (arm) =>
      markup`<div class="forest main"><span class="what">${name(arm.name)}</span>${interval(arm.rate, whole, { says: `${arm.name}: ${rate(arm.rate)}` })}<span class="number">${rate(arm.rate)}<br><small>${arm.passed} of ${arm.trials - arm.unscored} trials</small></span></div>`,
  );
  const curves = arms.filter(({ passCurve }) => passCurve.length > 1).map((arm) => ({ ...arm, passCurve: spread(arm.passCurve) }));
  const shares = shareScale(Math.max(0, ...curves.flatMap(({ passCurve }) => passCurve.map(({ any }) => any))));
  return {
    id: "configurations",
    title: "Configurations",
    body: markup`<p class="note">Mean pass rate over tasks, with its 95 % interval.</p>${rates}<div class="forest ticks"><span class="what"></span>${axis(whole, percentTick)}<span class="number"></span></div>${table(comparison.arms)}${
      curves.length > 0
        ? markup`<h3>Over repeats</h3><p class="note">pass@k, the upper line: one of k trials passes. pass^k, the lower one: all k pass. The wider the band, the more luck decides.</p><div class="multiples">${curves.map((arm) => curve(arm.name, arm.passCurve, shares))}</div>${folded("The same as a table", curveTable(curves))}`
        : undefined
    }`,
  };
}

/** Of very many repeats some, from the first to the last. */
function spread(points: readonly PassPoint[]): readonly PassPoint[] {
  const step = (points.length - 1) / (mostPoints - 1);
  return step <= 1
    ? points
    : Array.from({ length: mostPoints }, (_, i) => points[Math.round(i * step)]).filter((point) => point !== undefined);
}

const percentTick = (tick: number): string => `${Math.round(tick * 100)} %`;

function table(arms: readonly ArmSummary[]): Markup {
  const lost = arms.some(({ unscored }) => unscored > 0);
  const columns = [
    "configuration",
    "passed",
    ...(lost ? ["without score"] : []),
    "tokens in",
    "cached",
    "out",
    "cost",
    "working time",
    "turns",
  ];
  return dataTable(
    "What each configuration did and used",
    [...columns, "interventions"].map((title, i) => ({ title, number: i > 0 })),
    arms.map((arm) => [
      markup`${name(arm.name)}<br><small>${name(arm.model)}</small>`,
      `${arm.passed}/${arm.trials - arm.unscored}`,
      ...(lost ? [arm.unscored] : []),
      told(arm.tokens.in, count),
      told(arm.tokens.cached, count),
      told(arm.tokens.out, count),
      dollars(arm.costUsd, { simulated: arm.costSimulated }),
      told(arm.activeMs, duration),
      told(arm.turns, String),
      told(arm.interventions, String),
    ]),
  );
}

/** What another runner's results do not say is null. */
const told = (value: number | null, format: (value: number) => string): string => (value === null ? unknown : format(value));

function curve(title: string, points: readonly PassPoint[], shares: Scale): Markup {
  const x: Scale = linearScale(0.5, (points.at(-1)?.k ?? 1) + 0.5);
  const high = (value: number): number => 100 - shares.at(value);
  const line = (kind: "any" | "all"): Markup | undefined =>
    linePath(
      points.map((point) => ({ x: x.at(point.k), y: high(point[kind]) })),
      kind,
    );
  const band = bandPath(
    points.map(({ k, any, all }) => ({ x: x.at(k), top: high(any), bottom: high(all) })),
    "between",
  );
  const marks = points.map(
    ({ k, any, all }) =>
      markup`<circle class="any" cx="${place(x.at(k))}" cy="${place(high(any))}" r="4"/><circle class="all" cx="${place(x.at(k))}" cy="${place(high(all))}" r="4"/>`,
  );
  const levels = shares.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="0" x2="100%" y1="${place(high(tick))}" y2="${place(high(tick))}"/><text class="level" x="2" y="${place(high(tick))}" dy="-3">${percentTick(tick)}</text>`,
  );
  const last = points.at(-1);
  const says = last ? `${title}: pass@${last.k} ${percent(last.any)}, pass^${last.k} ${percent(last.all)}` : title;
  const ks: Scale = { at: x.at, ticks: points.flatMap(({ k }, i) => (i % Math.ceil(points.length / mostLabels) === 0 ? [k] : [])) };
  return markup`<figure><figcaption>${name(title)}</figcaption><svg class="curve" role="img" aria-label="${says}">${band}${levels}${line("any")}${line("all")}${marks}</svg>${axis(ks, (k) => `k = ${k}`)}</figure>`;
}

const curveTable = (arms: readonly { readonly name: string; readonly passCurve: readonly PassPoint[] }[]): Markup =>
  dataTable(
    "pass@k and pass^k",
    ["configuration", "k", "pass@k", "pass^k", "tasks"].map((title, i) => ({ title, number: i > 0 })),
    arms.flatMap((arm) => arm.passCurve.map(({ k, any, all, tasks }) => [name(arm.name), k, percent(any), percent(all), tasks])),
  );
