import type { InterventionTable } from "../../../evals/report/interventions.ts";
import { followedLine } from "../../report-lines.ts";
import { percent, plural } from "../../terminal/format.ts";
import { markup, name } from "../markup.ts";
import { dataTable, type Section } from "./section.ts";

/** What each middleware did, and what the model did next. */
export function interventions({ rows, unread }: InterventionTable): Section {
  const lack =
    unread > 0
      ? markup`<p class="note">The traces of ${plural(unread, "run")} could not be read: their interventions are not in it.</p>`
      : undefined;
  const body =
    rows.length === 0
      ? markup`<p>No middleware intervened.</p>${lack}`
      : markup`<p class="note">What followed is the model's next step: its effect, not its cause. Hard tasks draw more interventions, so a low share of passed runs says nothing against a middleware.</p>${dataTable(
          "Interventions and what followed",
          [
            { title: "middleware" },
            { title: "configuration" },
            { title: "what it did" },
            { title: "times", number: true },
            { title: "scored runs", number: true },
            { title: "of these passed", number: true },
            { title: "what followed" },
          ],
          rows.map((row) => [
            name(row.middleware),
            name(row.arm),
            row.change,
            row.times,
            row.runs,
            row.runs > 0 ? `${row.passed} (${percent(row.passed / row.runs)})` : "–",
            followedLine(row.followed),
          ]),
        )}${lack}`;
  return { id: "interventions", title: "Interventions", body };
}
