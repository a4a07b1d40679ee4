import type { ArmSummary } from "../../evals/arms/arm-summary.ts";
import type { PairComparison } from "../../evals/compare/compare.ts";
import type { TracedFlip } from "../../evals/compare/flips/traced-flips.ts";
import type { AdjustedDifference } from "../../evals/compare/verdict.ts";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import type { Gate } from "../../evals/compare/pipeline-gate.ts";
import type { Estimate } from "../../evals/statistics/interval.ts";
import { tornText } from "../../traces/read/torn-tail.ts";
import { pointsEnd, signedPoints as signed } from "../../harness/text/figures.ts";
import { percent, plural } from "../text/format.ts";

/** Words and numbers of a comparison that terminal and Markdown share. */
export const rate = (estimate: Estimate): string => `${percent(estimate.value)} [${ends(estimate)}]`;
/** `87 to 100`, in percent. */
export const ends = ({ low, high }: Estimate): string => [low, high].map((end) => percent(end).replace(" %", "")).join(" to ");
export const points = ({ value, low, high }: Estimate): string => `${signed(value)} points [${pointsEnd(low)} to ${pointsEnd(high)}]`;
export { probability, signedPoints as signed } from "../../harness/text/figures.ts";
/** `B − A`, as a title. */
export const differenceName = (b: string, a: string): string => `${bracketed(b)} − ${bracketed(a)}`;
/** A name that is itself a sum, as `standard − loop-detection` is, in brackets. */
export const bracketed = (name: string): string => (/ [−+·] /.test(name) ? `(${name})` : name);

/** A mean score of a task: `0`, `1`, `0.67`. */
export const share = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));

/** `40 tasks`, `40 tasks of 10 families`. */
export const unitsText = ({ tasks, families }: Pick<AdjustedDifference, "tasks" | "families">): string =>
  `${plural(tasks, "task")}${families === null ? "" : ` of ${plural(families, "family", "families")}`}`;

/** The difference by tasks, where it is further than two points from that by families, which the verdict follows. */
export function byTasks({ newTasks, taskWeighted }: AdjustedDifference): string | undefined {
  const apart = taskWeighted !== null && Math.abs(taskWeighted - newTasks.value) > 0.02;
  return apart ? `${signed(taskWeighted)} points where tasks weigh equally; above, families do` : undefined;
}

/** How a reading counts the trials without a score. */
export const readingName: Readonly<Record<AdjustedDifference["reading"], string>> = {
  excluded: "left out",
  failed: "as failures",
  against: "against the claim",
};

/** `91 trials without a score, 89 of which are missing`. */
export function lostTold({ lost, missing: { a, b } }: PairComparison): string {
  const missing = a.missing + b.missing;
  if (missing === 0) return `${plural(lost, "trial")} without a score`;
  return missing === lost
    ? `${plural(lost, "trial")} missing`
    : `${plural(lost, "trial")} without a score, ${missing} of which are missing`;
}

/** The answers of a gate in words. */
export const gateName: Readonly<Record<Gate["answer"], string>> = {
  passed: "passed",
  failed: "failed",
  underpowered: "cannot tell",
  "not comparable": "not comparable",
};

/** The end of the curve; a dash where repeats that count as one leave too few of them, which `remarks` says. Nothing where there were none. */
export function passLines({ passAtK, collapsed, tasks }: Pick<ArmSummary, "passAtK" | "collapsed" | "tasks">): string[] {
  if (!passAtK) return collapsed > 0 ? ["pass@k –, pass^k –"] : [];
  const { k, any, all } = passAtK;
  const over = passAtK.tasks < tasks ? ` (${passAtK.tasks} of ${plural(tasks, "task")})` : "";
  return [`pass@${k} ${percent(any)}, pass^${k} ${percent(all)}${over}`];
}

/** What a pair tells apart, for a title. */
export const effectName: Readonly<Record<PairComparison["of"], string>> = {
  harness: "harness",
  agent: "agent",
  "model and harness": "model and harness",
  "model and agent": "model and agent",
  nothing: "the same configuration twice: how far apart equal arms come out",
  unknown: "harness, and model as far as it is known",
};

/** So many tasks are named of each change, and so many left out; a comment on a pull request has room for no more, a terminal for less. */
const mostNamed = 50;

/** The first of a long list and the number of those that only `--json` names. */
export const shortened = <T>(all: readonly T[]): { readonly shown: readonly T[]; readonly more: number } => ({
  shown: all.slice(0, mostNamed),
  more: Math.max(0, all.length - mostNamed),
});

/** Of many changes the largest, in the order of their tasks. */
export function largestFlips<T extends { readonly a: number; readonly b: number }>(flips: readonly T[]): ReturnType<typeof shortened<T>> {
  const size = ({ a, b }: T): number => Math.abs(b - a);
  const { shown, more } = shortened(flips.toSorted((one, other) => size(other) - size(one)));
  const chosen = new Set(shown);
  return { shown: flips.filter((flip) => chosen.has(flip)), more };
}

/** Where the two runs of a flip part, as a sentence; undefined where it is not known. */
export function partingLine({ parting }: TracedFlip): string | undefined {
  if (!parting) return undefined;
  const side = ({ says, after }: { says: string; after: readonly string[] }): string =>
    `${says === "" ? "says nothing" : says}${after.length > 0 ? ` (after ${after.join(", ")})` : ""}`;
  return `part at turn ${parting.turn}: ${side(parting.a)} | ${side(parting.b)}`;
}

/** What the traces of a flip's runs lost, a sentence each: what the runs did there is not known. */
export const tornLines = ({ torn }: TracedFlip, { a, b }: { readonly a: string; readonly b: string }): string[] =>
  [
    { arm: a, tail: torn?.a },
    { arm: b, tail: torn?.b },
  ].flatMap(({ arm, tail }) => (tail ? [`trace of ${arm}: ${tornText(tail, { writing: tail.writing === true })}`] : []));

/** `run:seq` of a flip's runs. */
export const runLinks = ({ runA, runB, parting }: TracedFlip): { a: string | undefined; b: string | undefined } => ({
  a: runA === null ? undefined : `${runA}${parting ? `:${parting.a.seq}` : ""}`,
  b: runB === null ? undefined : `${runB}${parting ? `:${parting.b.seq}` : ""}`,
});

/** The lines that stand around the numbers, each a finished sentence. */
export function remarks(report: ComparisonReport): string[] {
  return [
    ...report.arms.flatMap((arm) => [
      ...(arm.countedOnce > 0
        ? [`${arm.name}: ${plural(arm.countedOnce, "trial")} given twice (same task, repeat and replies) and counted once`]
        : []),
      ...(arm.collapsed > 0
        ? [
            `${arm.name}: identical repeats count once, in ${plural(arm.collapsed, "task")}${arm.passAtK ? "" : ", so pass@k and pass^k of several trials are not known (–)"}`,
          ]
        : []),
    ]),
    ...report.notKnown.map((one) => `not known: ${one}`),
    ...(report.conditions.length > 0 ? [`measured under different conditions: ${report.conditions.join("; ")}`] : []),
  ];
}

/** `comparison 37 on this suite`. */
export function ledgerLine({ ledger }: ComparisonReport): string | undefined {
  if (!ledger) return undefined;
  const warns = ledger.decided >= 20 ? ": at 5 % each, some will be false by now" : "";
  return `comparison ${ledger.decided} on this suite${warns} (${ledger.file}${ledger.unwritten === undefined ? "" : `, which could not be written: ${ledger.unwritten}`})`;
}
