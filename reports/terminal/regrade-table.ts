import type { RegradedTrial, RegradeResult } from "../../evals/job/results/regrade-result.ts";
import { duration, plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";

const score = ({ score: value, class: kind }: RegradedTrial["before"]): string => (value === null ? `none (${kind})` : String(value));
const name = (trial: RegradedTrial): string => printable(`${trial.task}  ${trial.configuration}  ${trial.repeat}`);

/** One line, as soon as a trial is verified. */
export function describeTrial(trial: RegradedTrial): string {
  return `${name(trial)}: ${score(trial.before)} → ${score(trial.after)}${trial.how === "graded" ? "" : ` (${trial.how})`}`;
}

/** The regrade in a few lines: every trial whose verdict moved, what stayed, and what is not the same as when the trials were run. */
export function describeRegrade(result: RegradeResult): string {
  const { trials, sandbox } = result;
  const moved = trials.filter(
    ({ before, after, how }) => how !== "left-out" && (before.score !== after.score || before.class !== after.class),
  );
  const rows = moved.map((trial) => [
    name(trial),
    score(trial.before),
    score(trial.after),
    printable(whyOf(trial)).replaceAll(/\s+/g, " ").slice(0, 60),
  ]);
  const failed = trials.filter(({ how }) => how === "failed").length;
  const allLeftOut = trials.filter(({ how }) => how === "left-out");
  const gone = new Set((result.leftOut ?? []).map(({ task }) => task));
  const leftOut = allLeftOut.filter(({ task }) => !gone.has(task));
  const unchanged = trials.filter(({ how }) => how === "unchanged").length;
  return [
    ...(moved.length === 0 ? [] : [plainTable(["trial", "old", "new", ""], rows)]),
    `${plural(trials.length, "trial")}: ${moved.length} moved, ${trials.length - allLeftOut.length - moved.length} as before${allLeftOut.length > 0 ? `, ${allLeftOut.length} left out` : ""}; ${passedOf(trials)}`,
    ...(result.leftOut === undefined
      ? []
      : [
          `${plural(gone.size, "task")} could not be verified again, and ${gone.size === 1 ? "is" : "are"} not in the results:`,
          ...result.leftOut.map(({ task, reason }) => `  ${oneLine(`${task}: ${reason}`)}`),
        ]),
    ...(leftOut.length === 0
      ? []
      : [
          `${plural(leftOut.length, "trial")} could not be verified again, and ${leftOut.length === 1 ? "has" : "have"} no score there:`,
          ...leftOut.map((trial) => `  ${name(trial)}: ${oneLine(trial.why ?? "too little was kept")}`),
        ]),
    ...(unchanged === 0 ? [] : [`${plural(unchanged, "trial")} had nothing to verify and kept the old score`]),
    ...(result.keptInPart === undefined
      ? []
      : [
          `${plural(result.keptInPart, "trial")} had been judged by more than was kept (--kept-is-enough): the new scores hold where the tests need nothing else`,
        ]),
    ...(failed === 0 ? [] : [`${plural(failed, "trial")} could not be verified: run the regrade again`]),
    ...Object.entries(result.tasks).flatMap(([task, { image }]) =>
      image.before === image.now || sandbox.before !== sandbox.now
        ? []
        : [`${printable(task)}: the image differs (${short(image.before)} → ${short(image.now)}), so more than the tests may have changed`],
    ),
    ...(sandbox.before === sandbox.now ? [] : [`sandbox: ${sandbox.before} → ${sandbox.now}; their scores are not of one kind`]),
    `results: ${result.folder}`,
  ].join("\n");
}

/** One regrade among others of its job. `now`: Unix milliseconds. */
export function regradeLine({ id, tasks, trials, sandbox, endedAt }: RegradeResult, now: number): string {
  const names = Object.keys(tasks);
  const shown = names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", ");
  const other = sandbox.before === sandbox.now ? "" : `, in ${sandbox.now}`;
  const leftOut = trials.filter(({ how }) => how === "left-out").length;
  const without = leftOut === 0 ? "" : `, ${leftOut} left out`;
  return oneLine(
    `${id}  ${shown}: ${plural(trials.length, "trial")}${without}, ${passedOf(trials)}${other}, ${duration(now - endedAt)} ago`,
  );
}

/** Of the trials that were not left out. */
const passedOf = (all: readonly RegradedTrial[]): string => {
  const trials = all.filter(({ how }) => how !== "left-out");
  const passed = (which: "before" | "after"): number => trials.filter((trial) => trial[which].passed === true).length;
  return `passed ${passed("before")} → ${passed("after")}`;
};

const whyOf = ({ why, how }: RegradedTrial): string => why ?? (how === "graded" ? "" : how);
const short = (digest: string | null): string => digest?.replace(/^sha256:/, "").slice(0, 12) ?? "none";
