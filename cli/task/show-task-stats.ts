import { trialsOf } from "../../evals/job/results/trials-of.ts";
import { taskStats, type TaskStats } from "../../evals/report/task-stats.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import { CannotError } from "../../harness/errors.ts";
import { probability } from "../../harness/text/figures.ts";
import { count, percent, plural, unknown } from "../../reports/text/format.ts";
import { plainTable } from "../../reports/text/lay-table.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { findJob } from "../../evals/job/find-jobs.ts";

/** Carries out `forge task stats`: the trials of several jobs together. */
export async function showTaskStats(jobs: readonly string[], o: { byArm?: boolean; json?: boolean }): Promise<void> {
  const folders = [...new Set(await Promise.all(jobs.map(findJob)))];
  const records: TrialRecord[] = [];
  for (const folder of folders) for (const record of await trialsOf(folder)) records.push(record);
  if (records.length === 0) throw new CannotError(`${jobs.join(", ")}: no trial has ended yet; \`forge jobs resume\` continues a job.`);
  const stats = taskStats(records);
  if (o.json) {
    process.stdout.write(`${JSON.stringify(stats)}\n`);
    return;
  }
  const names = new Map<string, number>();
  for (const { task } of stats) names.set(task, (names.get(task) ?? 0) + 1);
  const shown = (one: TaskStats): string => oneLine((names.get(one.task) ?? 1) > 1 ? `${one.task} (${one.digest.slice(0, 8)})` : one.task);
  const rows = stats.flatMap((one) => [
    [
      shown(one),
      oneLine(one.level ?? unknown),
      `${one.passed}/${one.scored}`,
      share(one.rate),
      number(one.information),
      share(one.spread),
      number(one.discrimination),
      sayingOf(one),
    ],
    ...(o.byArm
      ? one.arms.map((arm) => [
          `  ${oneLine(arm.arm)}${arm.simulated ? " simulated" : ""}`,
          "",
          `${arm.passed}/${arm.scored}`,
          share(arm.rate),
          "",
          "",
          "",
          `${number(arm.turns, 1)} turns, ${arm.outputTokens === null ? unknown : count(arm.outputTokens)} tokens out`,
        ])
      : []),
  ]);
  process.stdout.write(
    `${plainTable(["task", "level", "passed", "rate", "information", "spread", "discrimination", "what it says"], rows, { dispensable, left: ["what it says"] })}\n`,
  );
  const telling = stats.filter(({ rate }) => rate !== null && rate > 0 && rate < 1).length;
  const simulated = records.some((record) => record.simulated) ? "; trials of a simulated model among them" : "";
  process.stdout.write(
    `${plural(records.length, "trial")} of ${plural(stats.length, "task")}; ${telling} of them neither always nor never passed${simulated}\n`,
  );
}

/** `--json` has them. */
const dispensable = ["spread", "information", "discrimination", "level", "rate"];

const said: Readonly<Record<TaskStats["verdict"], string>> = {
  unscored: "no score",
  never: "never passed: too hard, or broken",
  always: "always passed: shows no difference",
  against: "weak arms do better: look at it",
  tells: "discriminates",
  unclear: "arms differ, perhaps by chance",
  mixed: "arms are alike on it",
};

const sayingOf = ({ verdict, chance }: TaskStats): string =>
  said[verdict] + (chance !== null && (verdict === "unclear" || verdict === "tells") ? ` (${probability(chance)})` : "");

const share = (value: number | null): string => (value === null ? unknown : percent(value));
const number = (value: number | null, digits = 2): string => (value === null ? unknown : value.toFixed(digits));
