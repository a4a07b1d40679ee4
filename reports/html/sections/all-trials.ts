import type { JobReport } from "../../../evals/report/job-report.ts";
import { share } from "../../content/comparison-lines.ts";
import { count, dollars, duration, plural, unknown } from "../../text/format.ts";
import { markup, name } from "../markup.ts";
import { runLink, type RunAddress } from "./run-link.ts";
import { dataTable, folded, type Section } from "./section.ts";
import { withinBytes } from "./within-bytes.ts";

/** A page stays one that a mail takes: of more trials the first are listed. */
const mostBytes = 800_000;

/** Every trial, with its run. */
export function allTrials({ arms }: JobReport, address: RunAddress): Section {
  const trials = arms.flatMap((arm) => arm.trials.map((trial) => ({ arm: arm.name, trial })));
  const columns = [
    "task",
    "configuration",
    "repeat",
    "how it ended",
    "score",
    "turns",
    "tokens",
    "cost",
    "working time",
    "interventions",
    "run",
  ];
  const { shown, left } = withinBytes(trials, mostBytes, ({ arm, trial }) => [
    name(trial.task),
    name(arm),
    trial.repeat,
    trial.outcome,
    trial.score === null ? unknown : share(trial.score),
    trial.turns ?? unknown,
    count(trial.tokens),
    dollars(trial.costUsd),
    duration(trial.activeMs),
    trial.interventions ?? unknown,
    runLink(trial.run, trial.run === null ? unknown : "run", address),
  ]);
  const table = dataTable(
    "All trials",
    columns.map((title, i) => ({ title, number: i === 2 || (i > 3 && i < 10) })),
    shown,
  );
  return {
    id: "trials",
    title: "All trials",
    body: markup`${folded(left > 0 ? `the first ${shown.length} of ${plural(trials.length, "trial")}` : plural(trials.length, "trial"), table)}${left > 0 ? markup`<p class="note">${plural(left, "trial")} more: forge report --json has them.</p>` : undefined}`,
  };
}
