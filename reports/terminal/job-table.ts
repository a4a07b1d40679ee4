import type { ConfigurationSummary, JobResult } from "../../evals/job/job-result.ts";
import { count, dollars, duration, percent, plural } from "./format.ts";
import { plainTable } from "./plain-table.ts";
import { printableData } from "./printable.ts";

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

/** The job in a few lines, for the end of a bench. */
export function describeJob(job: JobResult): string {
  const result = printableData(job); // result.json may come from anyone
  const head = `${result.suite}: ${plural(result.tasks.length, "task")} × ${plural(result.configurations.length, "configuration")} × ${plural(result.repeats, "repeat")}, agent ${result.agent}, sandbox ${result.sandbox}, ${result.modes.join(" and ")} verification`;
  const notes = [
    ...(result.simulated ? ["simulated: these numbers say nothing about any real model"] : []),
    ...(result.invalid ? [`invalid: ${result.unscored} of ${result.trials} trials have no score`] : []),
    ...(result.status === "finished"
      ? []
      : [`${result.status}: ${result.recorded} of ${result.trials} trials are done; the same command goes on`]),
  ];
  return [head, configurationTable(result.configurations), ...notes, `job: ${result.folder}`].join("\n");
}
