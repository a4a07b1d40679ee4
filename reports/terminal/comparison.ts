import type { ArmSummary, Comparison, PairComparison } from "../../evals/compare/compare.ts";
import type { Estimate } from "../../evals/statistics/interval.ts";
import { count, dollars, duration, plural } from "./format.ts";
import { plainTable } from "./plain-table.ts";
import { printableData } from "./printable.ts";

const rate = ({ value, low, high }: Estimate): string =>
  `${(value * 100).toFixed(1)} % [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;
const points = ({ value, low, high }: Estimate): string =>
  `${value > 0 ? "+" : ""}${(value * 100).toFixed(1)} points [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;

/** A comparison for the terminal and for a text file: the answer first, then what it rests on. */
export function describeComparison(compared: Comparison): string {
  const comparison = printableData(compared); // names of tasks, configurations and folders come out of the jobs' files
  const parts = [
    comparison.simulated ? `${comparison.suite} (simulated)` : comparison.suite,
    ...(comparison.notComparable === undefined ? [] : [`Not comparable: ${comparison.notComparable}.`]),
    ...new Set(comparison.pairs.map((pair) => pair.verdict.text)),
    armTable(comparison.arms, comparison.simulated),
    ...comparison.arms.flatMap((arm) =>
      arm.countedOnce > 0
        ? [`${arm.name}: ${plural(arm.countedOnce, "trial")} given twice (same task, repeat and replies) and counted once`]
        : [],
    ),
    ...comparison.pairs.map(describePair),
  ];
  return parts.join("\n");
}

function armTable(arms: readonly ArmSummary[], simulated: boolean): string {
  const rows = arms.map((arm) => [
    `${arm.name}\n${arm.model}`,
    [`${arm.passed}/${arm.trials - arm.unscored}`, ...(arm.unscored > 0 ? [`${arm.unscored} without score`] : [])].join("\n"),
    rate(arm.rate).replace(" [", "\n["),
    `${count(arm.tokens.in)}/${count(arm.tokens.out)}\n${count(arm.tokens.cached)} cached`,
    `${dollars(arm.costUsd, arm)}\n${plural(arm.interventions, "intervention")}`,
    `${duration(arm.activeMs)}\n${plural(arm.turns, "turn")}`,
  ]);
  const head = ["configuration", "passed", "mean over tasks [95 %]", "tokens in/out", "cost", "working time"];
  return plainTable([simulated ? "configuration (simulated)" : "configuration", ...head.slice(1)], rows);
}

function describePair(pair: PairComparison): string {
  const [main, asFailures] = pair.readings;
  if (!main) return "";
  const lines = [
    `${pair.b} − ${pair.a} (${pair.of}), ${plural(main.tasks, "task")}, ${main.test}`,
    `  new tasks:   ${points(main.newTasks)}  p = ${main.adjustedP.toFixed(4)} (Holm)`,
    `  this suite:  ${main.thisSuite ? points(main.thisSuite) : "not told: needs 3 repeats with different replies in every task"}`,
    ...(asFailures && asFailures.newTasks.value !== main.newTasks.value
      ? [`  trials without a score as failures: ${points(asFailures.newTasks)}  p = ${asFailures.adjustedP.toFixed(4)}`]
      : []),
    flipTable(pair),
    ...(pair.leftOut.length > 0 ? [`  not in both: ${pair.leftOut.join(", ")}`] : []),
  ];
  return lines.join("\n");
}

function flipTable(pair: PairComparison): string {
  const flips = pair.readings[0]?.flips ?? [];
  const row = (change: string): string => {
    const tasks = flips.filter((flip) => flip.change === change);
    const names = tasks.map((flip) => (change === "same" ? flip.task : `${flip.task} ${share(flip.a)}→${share(flip.b)}`));
    return `  ${change.padEnd(7)} ${String(tasks.length).padStart(3)}  ${names.join(", ")}`;
  };
  return ["fixed", "broken", "same"].map(row).join("\n");
}

const share = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));
