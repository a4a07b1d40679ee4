import { plural } from "../../harness/text/figures.ts";
import { printableData } from "../../harness/text/printable.ts";
import type { ConfigurationSummary, DecidedPair, JobResult } from "../../evals/job/results/job-result.ts";
import { plainTable } from "../text/lay-table.ts";
import { count, dollars, percentOf, roundTime } from "../text/format.ts";
import { wrapped } from "../text/wrapped.ts";

interface Column {
  readonly head: string;
  /** Empty in every row: the column is left out. */
  readonly text: (one: ConfigurationSummary) => string;
}

const columns: readonly Column[] = [
  { head: "passed", text: ({ passed, failed }) => `${passed}/${passed + failed}` },
  { head: "no score", text: ({ unscored }) => (unscored > 0 ? String(unscored) : "") },
  { head: "rate", text: ({ passed, failed }) => percentOf(passed, passed + failed) },
  { head: "tokens", text: ({ tokens }) => count(tokens.in + tokens.out) },
  { head: "cost", text: ({ costUsd }) => (costUsd === null ? "" : dollars(costUsd)) },
  { head: "time", text: ({ activeMs }) => roundTime(activeMs) },
  { head: "infra errors", text: ({ infraAttempts }) => (infraAttempts > 0 ? String(infraAttempts) : "") },
];

/** A line a configuration: passes of scored trials, tokens with the cached ones, cost and working time. */
function configurationTable(configurations: readonly ConfigurationSummary[]): string {
  const shown = columns.filter(({ text }) => configurations.some((one) => text(one) !== ""));
  const rows = configurations.map((one) => [one.configuration, ...shown.map(({ text }) => text(one) || "–")]);
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
    `left out: ${leftOut.length} of ${plural(leftOut.length + tasks.length, "task")}, ${names.join(", ")}${more}; result.json says why`,
  ];
}

/** The job in a few lines. `word`: what names it on a command line; `ms`: how long this run of it took. */
export function describeJob(job: JobResult, o: { readonly word: string; readonly ms?: number }): string {
  const result = printableData(job); // result.json may come from anyone
  const size = result.status === "finished" ? plural(result.trials, "trial") : `${result.recorded} of ${plural(result.trials, "trial")}`;
  const head = [
    result.suite,
    ...(result.agent === "configured" ? [] : [result.agent]),
    size,
    `${result.sandbox}, ${result.modes.join(" and ")}`,
    ...(o.ms === undefined ? [] : [roundTime(o.ms)]),
    `job ${o.word}`,
  ].join(" · ");
  const notes = [
    ...(result.simulated ? ["The model is simulated: these numbers say nothing about any real model."] : []),
    ...(result.invalid ? [`invalid: ${result.unscored} of ${plural(result.trials, "trial")} have no score`] : []),
    ...leftOutLine(result),
    ...(result.decided ?? []).map(decisionLine),
    ...(result.status === "decided"
      ? [`stopped early: ${result.trials - result.recorded} of ${plural(result.trials, "trial")} were not needed`]
      : []),
  ];
  return [
    head,
    "",
    configurationTable(result.configurations),
    ...(notes.length > 0 ? ["", ...notes.map((note) => wrapped(note, ""))] : []),
  ].join("\n");
}

/** What to type next. `forge`: how it is called here. */
export function nextCommands({ status, recorded, trials, spentUsd, configurations }: JobResult, word: string, forge: string): string {
  if (status === "max-cost")
    return `Stopped at ${recorded}/${trials}: ${spentUsd === null ? "the cost is not known" : `${dollars(spentUsd)} spent`}, and another trial might exceed --max-cost. Resume: ${forge} jobs resume ${word} --max-cost USD`;
  if (status === "stopped" || status === "cancelled") return `Stopped at ${recorded}/${trials}. Resume: ${forge} jobs resume ${word}`;
  if (recorded === 0) return "";
  const first = configurations.length > 1 ? `Compare: ${forge} compare ${word}` : `Replay: ${forge} replay ${word}`;
  return `${first}     Look: ${forge} view ${word}`;
}
