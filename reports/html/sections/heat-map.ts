import type { JobReport } from "../../../evals/report/job-report.ts";
import type { TrialFacts } from "../../../evals/report/trial-facts.ts";
import { share } from "../../content/comparison-lines.ts";
import { plural } from "../../text/format.ts";
import { markup, name, type Markup } from "../markup.ts";
import { runLink, type RunAddress } from "./run-link.ts";
import { dataTable, type Section } from "./section.ts";
import { withinBytes } from "./within-bytes.ts";

/** What the marks and the shades mean. */
export const heatLegend = markup`A mark a repeat, which leads to its run: <b class="mark p">●</b> passed, <b class="mark">◐</b> partly right, <b class="mark f">○</b> failed, <b class="mark">–</b> no score. The deeper the shade, the higher the mean.`;

/** The map's part of a page that a mail takes. */
const mostBytes = 600_000;
/** Marks of one cell. */
const mostMarks = 60;

/** Task × configuration, a mark a repeat: the mark says it in its shape, the shade in its depth, the number in words. */
export function heatMap({ arms }: JobReport, address: RunAddress): Section {
  const cells = arms.map(({ trials }) => byTask(trials));
  const tasks = mostDifferentFirst(cells);
  const { shown, left } = withinBytes(tasks, mostBytes, (task) => [
    name(task),
    ...cells.map((cell) => heatCell(cell.get(task) ?? [], address)),
  ]);
  const rest =
    left > 0
      ? markup`<p class="note">${plural(left, "task")} more, on which the configurations differ no more than on these: forge report --json has them.</p>`
      : undefined;
  return {
    id: "tasks",
    title: "Tasks",
    body: markup`<p class="note">${heatLegend} Tasks on which the configurations differ most come first.</p>${dataTable(
      `${plural(tasks.length, "task")} × ${plural(arms.length, "configuration")}`,
      [{ title: "task" }, ...arms.map((arm) => ({ title: name(arm.name) }))],
      shown,
      { kind: "heat" },
    )}${rest}`,
  };
}

/** The trials of one configuration by task. */
export function byTask(trials: readonly TrialFacts[]): Map<string, TrialFacts[]> {
  const cells = new Map<string, TrialFacts[]>();
  for (const trial of trials) {
    const cell = cells.get(trial.task);
    if (cell) cell.push(trial);
    else cells.set(trial.task, [trial]);
  }
  return cells;
}

/** All tasks, those on which the configurations differ most before the others, then the easy ones. `cells`: of each configuration, by task. */
export function mostDifferentFirst(cells: readonly ReadonlyMap<string, readonly TrialFacts[]>[]): string[] {
  const tasks = [...new Set(cells.flatMap((cell) => [...cell.keys()]))];
  return tasks
    .map((task) => {
      const means = cells.map((cell) => meanOf(cell.get(task) ?? [])).filter((value) => !Number.isNaN(value));
      return { task, spread: Math.max(...means) - Math.min(...means), sum: means.reduce((sum, value) => sum + value, 0) };
    })
    .toSorted((a, b) => (b.spread || 0) - (a.spread || 0) || b.sum - a.sum || (a.task < b.task ? -1 : 1))
    .map(({ task }) => task);
}

function meanOf(trials: readonly TrialFacts[]): number {
  const scores = trials.flatMap(({ score }) => score ?? []);
  return scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : Number.NaN;
}

/** One cell: the trials of a task with a configuration. */
export function heatCell(trials: readonly TrialFacts[], address: RunAddress): Markup {
  if (trials.length === 0) return markup`<span class="none">not run</span>`;
  const scored = trials.filter(({ score }) => score !== null);
  const mean = meanOf(trials);
  const whole = scored.every(({ score }) => score === 0 || score === 1);
  const said = scored.length === 0 ? "no score" : whole ? `${scored.filter(({ passed }) => passed).length}/${scored.length}` : share(mean);
  const depth = Number.isNaN(mean) ? 0 : Math.round(Math.min(1, Math.max(0, mean)) * 10);
  return markup`<span class="shade d${depth}"><b>${said}</b> <span class="marks">${trials.slice(0, mostMarks).map((trial) => mark(trial, address))}${trials.length > mostMarks ? ` … ${trials.length - mostMarks} more` : ""}</span></span>`;
}

function mark(trial: TrialFacts, address: RunAddress): Markup {
  const { score, passed, repeat, outcome, turns } = trial;
  const shape = score === null ? "–" : passed === true ? "●" : score > 0 ? "◐" : "○";
  return runLink(trial.run, shape, address, `repeat ${repeat}: ${outcome}${turns === null ? "" : `, ${plural(turns, "turn")}`}`);
}
