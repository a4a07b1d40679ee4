import { markup, type Markup } from "../markup.ts";
import type { Scale } from "./scale.ts";

/** A place in a drawing: a number with at most two digits behind the point, so that a thousand of them stay small. */
export const place = (value: number): string => `${Number(value.toFixed(2))}%`;

/** Faint lines from top to bottom. */
export const gridLines = ({ ticks, at }: Scale, o: { readonly strong?: number } = {}): readonly Markup[] =>
  ticks.map(
    (tick) =>
      markup`<line class="${tick === o.strong ? "zero" : "grid"}" x1="${place(at(tick))}" x2="${place(at(tick))}" y1="0" y2="100%"/>`,
  );

/** The numbers below, as a drawing of its own. A screen reader finds them in the table beside the chart. */
export const axis = ({ ticks, at }: Scale, format: (tick: number) => string): Markup =>
  markup`<svg class="axis" aria-hidden="true">${ticks.map((tick) => markup`<text x="${place(at(tick))}" y="14">${format(tick)}</text>`)}</svg>`;
