import { trialFacts } from "../../../evals/report/trial-facts.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { count, dollars, duration, plural, unknown } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { TrialLine } from "../api.ts";

/** A trial as a list shows it. `job`: the place of its job. */
export function trialLine(record: TrialRecord, job: string): TrialLine {
  const facts = trialFacts({ record, folder: job });
  return {
    place: facts.run,
    task: oneLine(facts.task),
    configuration: oneLine(record.configuration),
    repeat: facts.repeat,
    outcome: oneLine(facts.outcome),
    passed: facts.passed,
    score: facts.score,
    turns: facts.turns === null ? `${unknown} turns` : plural(facts.turns, "turn"),
    tokens: count(facts.tokens),
    cost: dollars(facts.costUsd, { simulated: record.simulated }),
    time: duration(facts.activeMs),
    interventions: String(facts.interventions ?? unknown),
    error: oneLine(record.error ?? "").slice(0, 500),
  };
}
