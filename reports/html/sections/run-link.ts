import { markup, relativeAddress, type Markup } from "../markup.ts";

/**
 * The address of a run's folder, relative to the page; undefined where the page does not lie where the runs can be reached. `seq`: the event that is meant,
 * for pages that can show one.
 */
export type RunAddress = (run: string, seq?: number) => string | undefined;

/** A run as a link, or as a text where it is not known with a text of its own. */
export function runLink(run: string | null, text: string, address: RunAddress, label?: string, seq?: number): Markup {
  const path = run === null ? undefined : address(run, seq);
  const title = label === undefined ? undefined : markup` title="${label}" aria-label="${label}"`;
  return path === undefined ? markup`<span${title}>${text}</span>` : markup`<a href="${relativeAddress(path)}/"${title}>${text}</a>`;
}
