import type { BlastRadius } from "../../traces/replay/dry/blast-radius.ts";
import { blastRows } from "../content/blast-rows.ts";
import { table } from "./table.ts";
import { oneLine } from "../../harness/text/printable.ts";

/** The same as a page. What others wrote can begin no markup. */
export function markdownBlastRadius(config: string, radius: BlastRadius, left: readonly { reason: string; runs: number }[]): string {
  const { summary, head, rows, notKnown, errors, places, leftOut } = blastRows(radius, left);
  const below = [...notKnown, ...errors];
  const escaped = (cells: readonly string[]): string[] => cells.map(escape);
  return `${[
    `# What ${escape(oneLine(config))} would have done`,
    "",
    ...summary.map((one) => `- ${escape(one)}`),
    ...(rows.length > 0 ? ["", "## Triggers", "", `${caption}.`, "", table(escaped(head), rows.map(escaped), { left: true })] : []),
    ...(below.length > 0 ? ["", ...below.map((one) => `- ${escape(one)}`)] : []),
    ...(places.length > 0 ? ["", "## Most telling places", ""] : []),
    ...places.map(({ where, what, next }, i) => `${i + 1}. ${escape(where)}\n   ${escape(what)}\n   Then the model: ${escape(next)}`),
    ...(leftOut.length > 0 ? ["", ...leftOut.map((one) => `- ${escape(one)}`)] : []),
  ].join("\n")}\n`;
}

const caption = "Runs in which a changed middleware would act, had it only watched, of those where that can be known";
const escape = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>#|!~]/g, "\\$&");
