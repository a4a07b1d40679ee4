import { bin, max, mean, quantileSorted } from "d3-array";
import { curveBasis } from "d3-shape";
import { markup, type Markup } from "../markup.ts";
import { gridLines, place } from "./axis.ts";
import { bandPath } from "./path.ts";
import type { Scale } from "./scale.ts";

export interface StripDot {
  readonly value: number;
  readonly passed: boolean | null;
}

/** Columns that trials are counted in, two per cent of the width each. */
const columns = 50;
/** Of fewer trials a shape says nothing. */
const fewest = 8;
/** Height of the largest column and where its middle is, in per cent. */
const [tallest, middle] = [78, 42];
/** Divides what is between two dots again with every dot: they stand apart, however many there are. */
const golden = (Math.sqrt(5) - 1) / 2;

/**
 * Every trial a dot (round: passed; a ring: failed or without a score), standing the further apart the more trials have such a value, which the shape behind
 * them shows of all; of more than `mostDots` evenly spread ones are drawn. The bar below from quartile to quartile, the line the median.
 */
export function strip(dots: readonly StripDot[], scale: Scale, o: { readonly says: string; readonly mostDots: number }): Markup {
  const placed = dots.map((dot) => ({ ...dot, x: scale.at(dot.value) })).toSorted((a, b) => a.x - b.x);
  const counted = bin<(typeof placed)[number], number>()
    .value(({ x }) => x)
    .domain([0, 100])
    .thresholds(columns)(placed);
  const most = max(counted, ({ length }) => length) ?? 1;
  const shape = counted.map((column) => {
    const half = (column.length / most) * (tallest / 2);
    const x = mean(column, (dot) => dot.x) ?? ((column.x0 ?? 0) + (column.x1 ?? 0)) / 2; // around what lies in it, which may be one value
    return { x, top: middle - half, bottom: middle + half };
  });
  const every = Math.max(1, placed.length / o.mostDots);
  const circles = counted
    .flatMap((column) => {
      const height = (column.length / most) * tallest;
      return column.map((dot, i) => ({ ...dot, y: middle + (((i + 0.5) * golden) % 1) * height - height / 2, alone: column.length === 1 }));
    })
    .filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every))
    .toSorted((a, b) => Number(a.passed) - Number(b.passed)) // the few that passed on top
    .map(({ x, y, passed, alone }) => markup`<circle class="${passed === true ? "p" : "f"}" cx="${place(x)}" cy="${place(alone ? middle : y)}" r="3"/>`); // prettier-ignore
  const values = dots.map(({ value }) => value).toSorted((a, b) => a - b);
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => scale.at(quantileSorted(values, share) ?? 0));
  const box =
    q1 === undefined || median === undefined || q3 === undefined || values.length === 0
      ? undefined
      : markup`<rect class="box" x="${place(q1)}" width="${place(Math.max(0.2, q3 - q1))}" y="91%" height="6%"/><line class="median" x1="${place(median)}" x2="${place(median)}" y1="2%" y2="98%"/>`;
  return markup`<svg class="strip" role="img" aria-label="${o.says}">${gridLines(scale)}${values.length < fewest ? undefined : bandPath(shape, "shape", curveBasis)}${circles}${box}</svg>`;
}
