import { plural } from "../../harness/text/figures.ts";
import { printableData } from "../../harness/text/printable.ts";
import type { ConfigurationSummary, DecidedPair, JobResult } from "../../evals/job/results/job-result.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import { meanOfMeans } from "../../evals/statistics/moments.ts";
import { confinement } from "../content/report-lines.ts";
import { plainTable } from "../text/lay-table.ts";
import { count, dollars, percent, percentOf, roundTime, unknown } from "../text/format.ts";
import { nextSteps } from "../text/next-steps.ts";
import { hanging, wrapped } from "../text/wrapped.ts";

/** Of `TrialRecord`, what a rate is made of. */
type Scored = Pick<TrialRecord, "task" | "configuration" | "score">;

/** The share that passed, each task weighing the same, as every comparison has it; `–` where no trial has a score. */
export function rateOf(configuration: string, trials: readonly Scored[]): string {
  const own = trials.filter((trial) => trial.configuration === configuration);
  const rate = meanOfMeans(own.flatMap(({ task, score }) => (score === null ? [] : [[task, score] as const])));
  return rate === null ? unknown : percent(rate);
}

interface Column {
  readonly head: string;
  /** Empty in every row: the column is left out. */
  readonly text: (one: ConfigurationSummary, trials: readonly Scored[] | undefined) => string;
}

const columns: readonly Column[] = [
  { head: "passed", text: ({ passed, failed }) => `${passed}/${passed + failed}` },
  { head: "no score", text: ({ unscored }) => (unscored > 0 ? String(unscored) : "") },
  {
    head: "rate",
    text: ({ configuration, passed, failed }, trials) => (trials ? rateOf(configuration, trials) : percentOf(passed, passed + failed)),
  },
  { head: "tokens", text: ({ tokens }) => count(tokens.in + tokens.out) },
  { head: "cost", text: ({ costUsd }) => (costUsd === null ? "" : dollars(costUsd)) },
  { head: "time", text: ({ activeMs }) => roundTime(activeMs) },
  { head: "infra errors", text: ({ infraAttempts }) => (infraAttempts > 0 ? String(infraAttempts) : "") },
];

/** A line a configuration: passes of scored trials, tokens with the cached ones, cost and working time. */
function configurationTable(configurations: readonly ConfigurationSummary[], trials: readonly Scored[] | undefined): string {
  const shown = columns.filter(({ text }) => configurations.some((one) => text(one, trials) !== ""));
  const rows = configurations.map((one) => [one.configuration, ...shown.map(({ text }) => text(one, trials) || unknown)]);
  return plainTable(["", ...shown.map(({ head }) => head)], rows);
}

/** What came of a comparison that was looked at after every task. */
function decisionLine({ a, b, better, pairs, planned, task, eValue, threshold, difference }: DecidedPair): string {
  const { value, low, high } = difference;
  const points = (share: number): string => `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)}`;
  const size = `${points(value)} points [${points(low)}, ${points(high)}] at any time`;
  if (better === null)
    return `not decided: ${b} and ${a} after ${pairs} of ${plural(planned, "pair")}, e-value ${eValue.toFixed(1)}; ${b} has ${size}`;
  return `decided: ${better} did better than ${better === a ? b : a}, at pair ${pairs} of ${planned} (${task ?? ""}), e-value ${eValue.toFixed(1)} over ${(threshold ?? 0).toFixed(0)}; ${b} has ${size}`;
}

/** A rate over the others is none over the suite. */
function leftOutLine({ leftOut = [], tasks }: JobResult): string[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, 5).map(({ task }) => task);
  const more = leftOut.length > names.length ? ` and ${leftOut.length - names.length} more` : "";
  return [
    `left out: ${leftOut.length} of ${plural(leftOut.length + tasks.length, "task")}, ${names.join(", ")}${more}; result.json has the reasons`,
  ];
}

/** The job in a few lines. `word`: what names it on a command line; `ms`: how long it was worked on; `trials`: its results, of which rates are made. */
export function describeJob(
  job: JobResult,
  o: { readonly word: string; readonly ms?: number | null; readonly trials?: readonly Scored[] },
): string {
  const result = printableData(job); // result.json may come from anyone
  const size = result.status === "finished" ? plural(result.trials, "trial") : `${result.recorded} of ${plural(result.trials, "trial")}`;
  const head = [
    result.suite,
    ...(result.agent === "configured" ? [] : [result.agent]),
    size,
    confinement(result.sandbox),
    `${result.modes.join(" and ")} verification`,
    ...(o.ms == null ? [] : [roundTime(o.ms)]),
    `job ${o.word}`,
  ].join(" · ");
  const notes = [
    ...(result.simulated ? ["The model is simulated: these numbers say nothing about any real model."] : []),
    ...(result.recorded < result.trials || result.unscored > 0 ? ["rate: mean over tasks, of the trials with a score"] : []),
    ...(result.invalid ? [`invalid: ${result.unscored} of ${plural(result.trials, "trial")} have no score`] : []),
    ...leftOutLine(result),
    ...result.configurations.flatMap(({ configuration, trials, crashes }) =>
      crashes ? [`${configuration}: ${crashes.trials} of ${plural(trials, "trial")} crashed before any tool call: ${crashes.says}`] : [],
    ),
    ...(result.decided ?? []).map(decisionLine),
    ...(result.status === "decided"
      ? [`stopped early: ${result.trials - result.recorded} of ${plural(result.trials, "trial")} were not needed`]
      : []),
  ];
  return [
    hanging(head),
    "",
    configurationTable(
      result.configurations,
      o.trials && printableData(o.trials.map(({ task, configuration, score }) => ({ task, configuration, score }))),
    ),
    ...(notes.length > 0 ? ["", ...notes.map((note) => wrapped(note, ""))] : []),
  ].join("\n");
}

/** What to type next. */
export function nextCommands({ status, recorded, trials, spentUsd, configurations }: JobResult, word: string): string {
  if (status === "max-cost")
    return `Stopped at ${recorded}/${trials}: ${spentUsd === null ? "the cost is not known" : `${dollars(spentUsd)} spent`}, and another trial might exceed --max-cost. ${nextSteps([["Resume", `jobs resume ${word} --max-cost USD`]])}`;
  if (status === "stopped" || status === "cancelled")
    return `Stopped at ${recorded}/${trials}. ${nextSteps([["Resume", `jobs resume ${word}`]])}`;
  if (recorded === 0) return "";
  return nextSteps([configurations.length > 1 ? ["Compare", `compare ${word}`] : ["Replay", `replay ${word}`], ["Look", `view ${word}`]]);
}
