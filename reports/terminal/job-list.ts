import { join } from "node:path";
import type { JobOverview } from "../../evals/job/job-overview.ts";
import type { JobResult } from "../../evals/job/results/job-result.ts";
import type { RegradeResult } from "../../evals/job/results/regrade-result.ts";
import { crashIn } from "../../evals/trial/evidence/evidence.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import { confinement } from "../content/report-lines.ts";
import { dollars, plural, roundTime } from "../text/format.ts";
import { describeJob, nextCommands, rateOf } from "./configuration-table.ts";
import { plainTable } from "../text/lay-table.ts";
import { nextSteps } from "../text/next-steps.ts";
import { hanging } from "../text/wrapped.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { regradeLine } from "./regrade-table.ts";

/** One line a job. `words`: what to write to name each, by its folder; `now`: Unix milliseconds. */
export function jobsTable(jobs: readonly JobOverview[], words: ReadonlyMap<string, string>, now: number): string {
  const rows = jobs.map((one) => [
    oneLine(words.get(one.folder) ?? one.job),
    oneLine(one.suite),
    oneLine(armsOf(one)),
    `${one.recorded}/${one.trials}`,
    statusOf(one),
    one.result ? spentOf(one.result) : "",
    one.workedMs === null ? "" : roundTime(one.workedMs),
    ago(one, now),
  ]);
  const head = ["job", "suite", "configurations", "trials", "status", "cost", "time", "last"];
  const said = head.map((_, column) => rows.some((row) => row[column] !== ""));
  const shown = (row: readonly string[]): string[] => row.filter((_, column) => said[column]);
  return plainTable(shown(head), rows.map(shown), { left: true, dispensable: ["last", "cost", "time"] });
}

/** When it was last written. */
function ago({ touchedAt }: JobOverview, now: number): string {
  if (touchedAt === 0) return "";
  const days = Math.floor((now - touchedAt) / 864e5);
  return days < 2 ? `${roundTime(now - touchedAt)} ago` : `${days} days ago`;
}

/** A job in full: what it is made of, its table where a run of it came to an end, its regrades, and every trial without a score, or that crashed, with what decided that. */
export function describeOverview(
  one: JobOverview,
  o: {
    readonly trials: readonly TrialRecord[];
    readonly regrades: readonly RegradeResult[];
    /** What names the job on a command line. */ readonly word: string;
  },
  now: number,
): string {
  const { trials, regrades, word } = o;
  const head = [
    `${word}  ${statusOf(one)}, ${one.recorded} of ${plural(one.trials, "trial")} recorded${one.touchedAt === 0 ? "" : `, last written ${ago(one, now)}`}`,
    `${one.suite}: ${plural(one.tasks, "task")} × ${plural(one.configurations.length, "configuration")} × ${plural(one.repeats, "repeat")}, ${one.agent === "configured" ? "" : `agent ${one.agent}, `}${one.result ? "" : `sandbox ${confinement(one.sandbox)}, `}Forge ${one.forgeVersion}`,
  ];
  // the job's table has its own filter, and perhaps colours, which another would show as marks
  const results = trials.length === one.result?.recorded ? { trials } : {}; // else they are of another run than its table
  const table = one.result
    ? [describeJob(one.result, { word: oneLine(word), ms: one.workedMs, ...results })]
    : oneLineAnArm(one, trials).map(asRow);
  const story = (of: (trial: TrialRecord) => boolean): string[] =>
    trials
      .filter(of)
      .flatMap(({ task, configuration, repeat, class: kind, attempt, evidence = [], error }) => [
        `${kind}  ${task} ${configuration} #${repeat}, attempt ${attempt}`,
        ...(evidence.length > 0
          ? evidence.map(({ kind: from, says }) => `    ${from}: ${says}`)
          : [`    ${error ?? "no reason was recorded"}`]),
      ]);
  const unscored = story(({ passed }) => passed === null);
  const crashed = story(({ passed, evidence: seen }) => passed === false && crashIn(seen) !== undefined);
  const ended = one.status === "finished" || one.status === "decided";
  const next = ended
    ? one.result
      ? nextCommands(one.result, word)
      : ""
    : one.status === "running"
      ? ""
      : nextSteps([["Resume", `jobs resume ${word}`]]);
  const again =
    regrades.length > 0 ? [`regrades, in ${join(one.folder, "regrades")}:`, ...regrades.map((each) => `  ${regradeLine(each, now)}`)] : [];
  const rest = [
    ...again,
    ...(unscored.length > 0 ? ["without a score:", ...unscored] : []),
    ...(crashed.length > 0 ? ["crashed before any tool call:", ...crashed] : []),
    ...(next === "" ? [] : ["", ...next.split("\n")]),
  ];
  return [...head.map(asRow), ...table, ...rest.map(asRow)]
    .map((text) =>
      text
        .split("\n")
        .map((line) => hanging(line))
        .join("\n"),
    )
    .join("\n");
}

/** One line, its own spaces as they are. */
const asRow = (line: string): string => printable(line.replaceAll(/[\r\n\t]+/g, " "));

function oneLineAnArm(one: JobOverview, trials: readonly TrialRecord[]): string[] {
  return one.configurations.map((name) => {
    const own = trials.filter(({ configuration, passed }) => configuration === name && passed !== null);
    const passed = own.filter((trial) => trial.passed === true).length;
    return `  ${name}  ${passed}/${own.length} passed${own.length > 0 ? ` (${rateOf(name, own)}, mean over tasks)` : ""}`;
  });
}

/** What a job has cost; what nobody was charged is told apart from what was paid. */
export function spentOf({ spentUsd, spentSimulatedUsd, simulated }: JobResult): string {
  if (spentUsd === null || spentSimulatedUsd == null) return dollars(spentUsd, { simulated });
  const paid = spentUsd - spentSimulatedUsd;
  const madeUp = dollars(spentSimulatedUsd, { simulated: true });
  if (spentSimulatedUsd === 0) return dollars(paid);
  return paid > 1e-9 ? `${dollars(paid)} + ${madeUp}` : madeUp;
}

/** A job's status, with who works on it. */
export function statusOf({ status, runner }: JobOverview): string {
  return runner ? `${status} (process ${runner.pid}${runner.here ? "" : " elsewhere"})` : status;
}

function armsOf({ configurations }: JobOverview): string {
  const shown = configurations.slice(0, 3).join(", ");
  return configurations.length > 3 ? `${shown}, …` : shown;
}
