import type { PairComparison } from "../../evals/compare/compare.ts";
import type { TracedFlip } from "../../evals/compare/flips/traced-flips.ts";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import type { VerdictWord } from "../../evals/compare/verdict.ts";
import { modelNotTold } from "../../evals/imported/gather-arms.ts";
import { plural } from "../text/format.ts";
import { share, unitsText } from "./comparison-lines.ts";
import { hints, wordFor } from "./verdict-lines.ts";

/** `16 tasks × 3 repeats · qwen2.5-coder-1.5b · exploratory: under 30 tasks`: what was compared, in clauses. */
export function settingOf(report: ComparisonReport): string {
  const { arms, pairs, simulated } = report;
  const [main] = pairs.flatMap(({ readings: [first] }) => first ?? []).toSorted((x, y) => y.tasks - x.tasks);
  const tasks = Math.max(0, ...arms.map((arm) => arm.tasks));
  const repeats = new Set(arms.map((arm) => arm.trials / arm.tasks));
  const [each = 1] = repeats;
  const models = [...new Set(arms.map(({ model }) => model))];
  const by = [...new Set(arms.map(({ measuredBy }) => measuredBy))].filter((runner) => runner !== "Forge");
  return [
    `${main && main.tasks > 0 ? unitsText(main) : plural(tasks, "task")}${repeats.size === 1 && Number.isInteger(each) ? ` × ${plural(each, "repeat")}` : ""}`,
    ...(models.length === 1 ? models.filter((model) => model !== modelNotTold) : []),
    ...(pairs.length > 1 ? [`${pairs.length} comparisons, adjusted together`] : []),
    ...(by.length > 0 ? [`measured by ${by.join(" and ")}`] : []),
    ...(simulated ? ["simulated"] : []),
    ...hints(report),
  ].join(" · ");
}

/** `3/3 → 1/3`, a mean where rewards lie between 0 and 1. */
export const changeOf = ({ a, b, passed }: TracedFlip): string => {
  const [from, to] = passed ? [passed.a, passed.b].map((of) => of.join("/")) : [share(a), share(b)];
  return `${from} → ${to}`;
};

/** `10 tasks worse, 0 better, 6 the same`. */
export function changesCounted({ flips, readings: [main] }: PairComparison): string {
  const of = (change: TracedFlip["change"]): number => flips.filter((flip) => flip.change === change).length;
  const same = (main?.tasks ?? flips.length) - flips.length;
  return `${plural(of("broken"), "task")} worse, ${of("fixed")} better, ${same} the same`;
}

/** The tasks that changed most, those whose runs are seen to part first. */
export const mostTelling = ({ flips }: PairComparison): readonly TracedFlip[] =>
  flips.toSorted((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a) || Number(y.parting !== null) - Number(x.parting !== null));

/** A verdict in one character. */
export const marks: Readonly<Partial<Record<VerdictWord, string>>> = {
  better: "▲",
  worse: "▼",
  "better on this suite only": "△",
  "worse on this suite only": "▽",
  equivalent: "=",
  "no difference shown": "·",
};

/** How the one named first did against the other: `▲` better; empty where they were not compared. */
export function markOf(pairs: readonly PairComparison[], one: string, other: string): string {
  const pair = pairs.find(({ a, b }) => (a === one && b === other) || (a === other && b === one));
  return (pair && marks[wordFor(pair, one)]) ?? "";
}

/** So many comparisons on one suite make false ones likely. */
const many = 20;

const variants = /^whether (\d+ tasks) whose names look like variants \((.+)\) are (one family|\d+ families)/;

/** `20 tasks have names like variants (sum-1, sum-2), which would be 5 families: --variants`; undefined where none do. */
export function variantsLine({ notKnown }: Pick<ComparisonReport, "notKnown">): string | undefined {
  const [found, tasks, example, families] = notKnown.map((one) => variants.exec(one) ?? []).find(([one]) => one !== undefined) ?? [];
  return found && `${tasks} have names like variants (${example}), which would be ${families}: --variants`;
}

/** What the report keeps for `--all`, named: conditions that differ, how much is not known, a ledger that warns. */
export function keptBack({ conditions, notKnown: all, ledger }: ComparisonReport): string[] {
  const notKnown = all.filter((one) => !variants.test(one));
  return [
    ...(conditions.length > 0 ? [`measured under different conditions (${conditions.map((one) => one.split(":")[0]).join(", ")})`] : []),
    ...(notKnown.length > 0 ? [`${plural(notKnown.length, "thing")} not known`] : []),
    ...(ledger && ledger.decided >= many ? [`comparison ${ledger.decided} on this suite`] : []),
    ...(ledger?.unwritten === undefined ? [] : ["the ledger could not be written"]),
  ];
}
