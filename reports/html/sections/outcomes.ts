import type { JobReport } from "../../../evals/report/job-report.ts";
import { outcomeRows } from "../../content/report-lines.ts";
import { percent } from "../../text/format.ts";
import { markup, name, type Markup } from "../markup.ts";
import { dataTable, type Section } from "./section.ts";

/** How trials came out: a row a class, a bar a configuration. */
export function outcomes(report: JobReport): Section {
  const sizes = report.arms.map(({ trials }) => trials.length);
  return {
    id: "outcomes",
    title: "How trials ended",
    body: dataTable(
      "Trials by class",
      [{ title: "class" }, ...report.arms.map((arm) => ({ title: name(arm.name) }))],
      outcomeRows(report).map(({ outcome, counts }) => [
        outcome,
        ...counts.map((count, i) => bar(count, sizes[i] ?? 0, outcome === "passed" ? "p" : "f")),
      ]),
      { kind: "bars" },
    ),
  };
}

/** A number with its share as a bar below it. */
const bar = (count: number, of: number, kind: "p" | "f"): Markup =>
  markup`${count} <small>${of > 0 && count > 0 ? percent(count / of) : ""}</small><svg class="bar" aria-hidden="true"><rect class="${kind}" width="${of > 0 ? Number(((count / of) * 100).toFixed(1)) : 0}%" height="100%"/></svg>`;
