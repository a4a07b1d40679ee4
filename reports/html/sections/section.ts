import { markup, type Markup } from "../markup.ts";

/** A part of the page that its list of contents leads to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

export const sectionMarkup = ({ id, title, body }: Section): Markup =>
  markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`;

export interface Column {
  readonly title: string | Markup;
  /** Numbers are set to the right. */
  readonly number?: boolean;
}

/** A table that a narrow screen scrolls by itself; the first cell of a row names it. Of kind `stack` it is a list there, each value with its column's name. */
export function dataTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (string | number | Markup | undefined)[])[],
  o: { readonly kind?: string } = {},
): Markup {
  const align = (i: number): Markup | undefined => (columns[i]?.number === true ? markup` class="n"` : undefined);
  const label = (i: number): Markup | undefined => {
    const title = columns[i]?.title;
    return o.kind === "stack" && typeof title === "string" ? markup` data-label="${title}"` : undefined;
  };
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${o.kind ?? "data"}"><caption>${caption}</caption><thead><tr>${columns.map((column, i) => markup`<th scope="col"${align(i)}>${column.title}</th>`)}</tr></thead><tbody>${rows.map(
    (row) =>
      markup`<tr>${row.map((cell, i) => (i === 0 ? markup`<th scope="row">${cell}</th>` : markup`<td${align(i)}${label(i)}>${cell}</td>`))}</tr>`,
  )}</tbody></table></div>`;
}

/** Numbers of a chart, folded below it. */
export const folded = (summary: string, body: Markup): Markup => markup`<details><summary>${summary}</summary>${body}</details>`;
