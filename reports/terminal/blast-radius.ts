import pc from "picocolors";
import type { BlastRadius } from "../../traces/replay/dry/blast-radius.ts";
import { blastRows } from "../content/blast-rows.ts";
import { plainTable } from "../text/lay-table.ts";
import { oneLine } from "../../harness/text/printable.ts";

/** What a configuration would have changed in recorded runs: both views, and the most telling places. */
export function describeBlastRadius(config: string, radius: BlastRadius, left: readonly { reason: string; runs: number }[]): string {
  const { summary, head, rows, notKnown, errors, places, leftOut } = blastRows(radius, left);
  return [
    `What ${oneLine(config)} would have done`,
    ...summary,
    ...(rows.length > 0
      ? [
          "",
          "Triggers: runs in which a changed middleware would act, had it only watched, of those where that can be known",
          plainTable(head, rows),
        ]
      : []),
    ...notKnown,
    ...errors,
    ...(places.length > 0 ? ["", "Most telling places"] : []),
    ...places.flatMap(({ where, what, next }) => [pc.bold(where), `  ${what}`, `  then the model: ${next}`]),
    ...(leftOut.length > 0 ? ["", ...leftOut] : []),
  ].join("\n");
}
