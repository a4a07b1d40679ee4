import type { JobReport } from "../../../evals/report/job-report.ts";
import type { Interventions } from "../../../evals/report/interventions.ts";
import type { Followed } from "../../../evals/report/steps-after.ts";
import { followedLine, tornRuns } from "../../content/report-lines.ts";
import { percent, plural } from "../../text/format.ts";
import { markup, name, type Markup } from "../markup.ts";
import { dataTable, type Section } from "./section.ts";

/** What each middleware did, and what the model did next; left out where all results are those of runners that have none. */
export function interventions({ arms, interventions: { rows, unread, torn } }: JobReport): Section | undefined {
  if (arms.every(({ trials }) => trials.every((trial) => trial.interventions === null))) return undefined;
  const lack = [
    ...(unread > 0
      ? [markup`<p class="note">The traces of ${plural(unread, "run")} could not be read: their interventions are not in it.</p>`]
      : []),
    ...(torn > 0 ? [markup`<p class="note">${tornRuns(torn)}</p>`] : []),
  ];
  const body =
    rows.length === 0
      ? markup`<p>No middleware intervened.</p>${lack}`
      : markup`<p class="note">What followed is what the model's next step did. Blue: it edited, or a check passed; orange: the same call again, or nothing. Hard tasks draw more interventions, so a low share of passed runs is no evidence against a middleware.</p>${dataTable(
          "Interventions and what followed",
          [
            { title: "middleware" },
            { title: "what it did" },
            { title: "times", number: true },
            { title: "scored runs", number: true },
            { title: "of these passed", number: true },
            { title: "what followed" },
          ],
          rows.map((row) => [
            markup`${name(row.middleware)}<br><small>${name(row.arm)}</small>`,
            row.change,
            row.times,
            row.runs,
            row.runs > 0 ? `${row.passed} (${percent(row.passed / row.runs)})` : "–",
            markup`${followedLine(row.followed)}${share(row)}`,
          ]),
          { kind: "stack" },
        )}${lack}`;
  return { id: "interventions", title: "Interventions", body };
}

const kinds: readonly (readonly [string, readonly Followed[]])[] = [
  ["p", ["check passed", "edited"]],
  ["o", ["check failed", "check unknown", "other call", "answered"]],
  ["f", ["same call again", "nothing"]],
];

/** The steps that followed as one bar. The line above says the same in words. */
function share({ followed, times }: Interventions): Markup {
  let from = 0;
  const parts = kinds.map(([kind, steps]) => {
    const width = (steps.reduce((sum, step) => sum + (followed[step] ?? 0), 0) / Math.max(1, times)) * 100;
    const x = from;
    from += width;
    return width > 0
      ? markup`<rect class="${kind}" x="${Number(x.toFixed(1))}%" width="${Number(width.toFixed(1))}%" height="100%"/>`
      : undefined;
  });
  return markup`<svg class="bar" aria-hidden="true">${parts}</svg>`;
}
