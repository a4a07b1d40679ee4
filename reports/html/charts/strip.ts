import { markup, type Markup } from "../markup.ts";
import { gridLines, place } from "./axis.ts";
import type { Scale } from "./scale.ts";

export interface StripDot {
  readonly value: number;
  readonly passed: boolean | null;
}

/** More dots than these lie over each other anyway: of more, evenly spread ones are drawn. */
const mostDots = 400;
const lanes = 7;

/** Every trial a dot (round: passed; a ring: failed or without a score), the box from quartile to quartile, the line the median. */
export function strip(dots: readonly StripDot[], scale: Scale, says: string): Markup {
  const sorted = dots.toSorted((x, y) => x.value - y.value);
  const values = sorted.map(({ value }) => value);
  const step = Math.max(1, sorted.length / mostDots);
  const drawn = Array.from({ length: Math.min(sorted.length, mostDots) }, (_, i) => sorted[Math.floor(i * step)]).filter(
    (dot) => dot !== undefined,
  );
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => scale.at(quantile(values, share)));
  const box =
    q1 === undefined || median === undefined || q3 === undefined || values.length === 0
      ? undefined
      : markup`<rect class="box" x="${place(q1)}" width="${place(Math.max(0.2, q3 - q1))}" y="15%" height="70%"/><line class="median" x1="${place(median)}" x2="${place(median)}" y1="8%" y2="92%"/>`;
  const placed = drawn.map((dot, i) => ({ ...dot, lane: (i * 3) % lanes })).toSorted((x, y) => Number(x.passed) - Number(y.passed)); // the few that passed on top
  const circles = placed.map(
    ({ value, passed, lane }) =>
      markup`<circle class="${passed === true ? "p" : "f"}" cx="${place(scale.at(value))}" cy="${place(20 + lane * (60 / (lanes - 1)))}" r="3"/>`,
  );
  return markup`<svg class="strip" role="img" aria-label="${says}">${gridLines(scale)}${box}${circles}</svg>`;
}

/** Of sorted values, between two neighbours in proportion. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}
