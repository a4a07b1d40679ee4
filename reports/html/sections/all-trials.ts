import type { JobReport } from "../../../evals/report/job-report.ts";
import { share } from "../../comparison-lines.ts";
import { count, dollars, duration, plural } from "../../terminal/format.ts";
import { markup, name } from "../markup.ts";
import { runLink, type RunAddress } from "./run-link.ts";
import { dataTable, folded, type Section } from "./section.ts";

/** A page stays one that a mail takes: of more trials the first are listed, and the others are in the job's folder. */
const mostListed = 2500;

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
  const table = dataTable(
    "All trials",
    columns.map((title, i) => ({ title, number: i === 2 || (i > 3 && i < 10) })),
    trials
      .slice(0, mostListed)
      .map(({ arm, trial }) => [
        name(trial.task),
        name(arm),
        trial.repeat,
        trial.outcome,
        trial.score === null ? "–" : share(trial.score),
        trial.turns ?? "n/a",
        count(trial.tokens),
        dollars(trial.costUsd),
        duration(trial.activeMs),
        trial.interventions ?? "n/a",
        runLink(trial.run, trial.run === null ? "–" : "run", address),
      ]),
  );
  const rest = trials.length - mostListed;
  return {
    id: "trials",
    title: "All trials",
    body: markup`${folded(plural(trials.length, "trial"), table)}${rest > 0 ? markup`<p class="note">${rest} more are in the job's folder.</p>` : undefined}`,
  };
}
