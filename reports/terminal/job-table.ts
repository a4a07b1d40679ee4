import Table from "cli-table3";
import type { ConfigurationSummary, JobResult } from "../../evals/job/job-result.ts";
import { count, dollars, duration, percent } from "./format.ts";

/** One row a configuration: passes of scored trials, what had no score, and what it cost. */
function configurationTable(configurations: readonly ConfigurationSummary[]): string {
  const table = new Table({
    head: ["configuration", "model", "passed", "rate", "no score", "infra", "tokens in/out (cached)", "cost", "working time"],
    colAligns: ["left", "left", "right", "right", "right", "right", "right", "right", "right"],
    style: { head: [], border: [] },
  });
  for (const one of configurations) {
    const scored = one.passed + one.failed;
    table.push([
      one.configuration,
      one.simulated ? `${one.model} (simulated)` : one.model,
      `${one.passed}/${scored}`,
      scored === 0 ? "–" : percent(one.passed / scored),
      one.unscored,
      one.infraAttempts,
      `${count(one.tokens.in)}/${count(one.tokens.out)} (${count(one.tokens.cached)})`,
      dollars(one.costUsd),
      duration(one.activeMs),
    ]);
  }
  return table.toString();
}

/** The job in a few lines, for the end of a bench. */
export function describeJob(result: JobResult): string {
  const head = `${result.suite}: ${result.tasks.length} tasks × ${result.configurations.length} configurations × ${result.repeats} repeats, agent ${result.agent}, sandbox ${result.sandbox}, ${result.modes.join(" and ")} verification`;
  const notes = [
    ...(result.simulated ? ["simulated: these numbers say nothing about any real model"] : []),
    ...(result.invalid ? [`invalid: ${result.unscored} of ${result.trials} trials have no score`] : []),
    ...(result.status === "finished"
      ? []
      : [`${result.status}: ${result.recorded} of ${result.trials} trials are done; the same command goes on`]),
  ];
  return [head, configurationTable(result.configurations), ...notes, `job: ${result.folder}`].join("\n");
}
