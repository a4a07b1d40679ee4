import type { Estimate } from "../../../evals/statistics/interval.ts";
import { markup, type Markup } from "../markup.ts";
import { gridLines, place } from "./axis.ts";
import type { Scale } from "./scale.ts";

/** One row of a forest plot: a point with its interval on the plot's scale. `quiet`: not what a verdict rests on. */
export function interval(
  { value, low, high }: Estimate,
  scale: Scale,
  o: { readonly says: string; readonly quiet?: boolean; readonly margin?: number | undefined; readonly strong?: number },
): Markup {
  const [left, middle, right] = [low, value, high].map((one) => place(scale.at(one)));
  const band =
    o.margin === undefined
      ? undefined
      : markup`<rect class="margin" x="${place(scale.at(-o.margin))}" width="${place(scale.at(o.margin) - scale.at(-o.margin))}" y="0" height="100%"/>`;
  return markup`<svg class="interval${o.quiet === true ? " quiet" : ""}" role="img" aria-label="${o.says}">${band}${gridLines(scale, o)}<line class="whisker" x1="${left}" x2="${right}" y1="50%" y2="50%"/><line class="cap" x1="${left}" x2="${left}" y1="32%" y2="68%"/><line class="cap" x1="${right}" x2="${right}" y1="32%" y2="68%"/><circle cx="${middle}" cy="50%" r="5"/></svg>`;
}
