import type { ConfigurationSummary, DecidedPair, JobResult } from "../../evals/job/results/job-result.ts";
import { count, dollars, duration, percent, plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { printableData } from "../../harness/text/printable.ts";

/** Two lines a configuration: passes of scored trials and what had no score, tokens with the cached ones, cost and working time. */
function configurationTable(configurations: readonly ConfigurationSummary[]): string {
  const rows = configurations.map((one) => {
    const scored = one.passed + one.failed;
    const lost = [
      ...(one.unscored > 0 ? [`${one.unscored} without score`] : []),
      ...(one.infraAttempts > 0 ? [`${plural(one.infraAttempts, "infra error")}`] : []),
    ];
    return [
      `${one.configuration}\n${one.model}${one.simulated ? " (simulated)" : ""}`,
      [`${one.passed}/${scored}`, ...lost].join("\n"),
      scored === 0 ? "–" : percent(one.passed / scored),
      `${count(one.tokens.in)}/${count(one.tokens.out)}\n${count(one.tokens.cached)} cached`,
      dollars(one.costUsd, one).replace(" ", "\n"),
      `${duration(one.activeMs)}\n${plural(one.turns, "turn")}`,
    ];
  });
  return plainTable(["configuration", "passed", "rate", "tokens in/out", "cost", "working time"], rows);
}

/** What came of a comparison that was looked at after every task. */
function decisionLine({ a, b, better, pairs, planned, task, eValue, threshold, difference }: DecidedPair): string {
  const { value, low, high } = difference;
  const points = (share: number): string => `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)}`;
  const size = `${points(value)} points [${points(low)}, ${points(high)}] at any time`;
  if (better === null)
    return `not decided: ${b} and ${a} after ${pairs} of ${planned} pairs, e-value ${eValue.toFixed(1)}; ${b} has ${size}`;
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

const goesOn = ({ status, spentUsd }: JobResult): string =>
  status === "max-cost"
    ? `they cost ${dollars(spentUsd)}, and another might go beyond --max-cost; the same command with a greater one goes on`
    : "the same command goes on";

/** The job in a few lines, for the end of a bench. */
export function describeJob(job: JobResult): string {
  const result = printableData(job); // result.json may come from anyone
  const head = `${result.suite}: ${plural(result.tasks.length, "task")} × ${plural(result.configurations.length, "configuration")} × ${plural(result.repeats, "repeat")}, agent ${result.agent}, sandbox ${result.sandbox}, ${result.modes.join(" and ")} verification`;
  const notes = [
    ...(result.simulated ? ["simulated: these numbers say nothing about any real model"] : []),
    ...(result.invalid ? [`invalid: ${result.unscored} of ${result.trials} trials have no score`] : []),
    ...leftOutLine(result),
    ...(result.decided ?? []).map(decisionLine),
    ...(result.status === "decided"
      ? [`stopped early: ${result.trials - result.recorded} of ${result.trials} trials were not needed`]
      : []),
    ...(result.status === "finished" || result.status === "decided"
      ? []
      : [`${result.status}: ${result.recorded} of ${result.trials} trials are done; ${goesOn(result)}`]),
  ];
  return [head, configurationTable(result.configurations), ...notes, `job: ${result.folder}`].join("\n");
}
