import Table from "cli-table3";
import type { ArmSummary, Comparison, PairComparison } from "../../evals/compare/compare.ts";
import type { Estimate } from "../../evals/statistics/interval.ts";
import { count, dollars, duration } from "./format.ts";

const rate = ({ value, low, high }: Estimate): string =>
  `${(value * 100).toFixed(1)} % [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;
const points = ({ value, low, high }: Estimate): string =>
  `${value > 0 ? "+" : ""}${(value * 100).toFixed(1)} points [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;

/** A comparison for the terminal and for a text file: the answer first, then what it rests on. */
export function describeComparison(comparison: Comparison): string {
  const parts = [
    comparison.simulated ? `${comparison.suite} (simulated)` : comparison.suite,
    ...(comparison.notComparable === undefined ? [] : [`Not comparable: ${comparison.notComparable}.`]),
    ...comparison.pairs.map((pair) => pair.verdict.text),
    armTable(comparison.arms, comparison.simulated),
    ...comparison.pairs.map(describePair),
  ];
  return parts.join("\n");
}

function armTable(arms: readonly ArmSummary[], simulated: boolean): string {
  const table = new Table({
    head: [
      simulated ? "configuration (simulated)" : "configuration",
      "passed",
      "pass rate [95 %]",
      "no score",
      "tokens in/out (cached)",
      "cost",
      "working time",
      "turns",
      "interventions",
    ],
    colAligns: ["left", "right", "right", "right", "right", "right", "right", "right", "right"],
    style: { head: [], border: [] },
  });
  for (const arm of arms)
    table.push([
      `${arm.name}\n${arm.model}`,
      `${arm.passed}/${arm.trials - arm.unscored}`,
      rate(arm.rate),
      arm.unscored,
      `${count(arm.tokens.in)}/${count(arm.tokens.out)} (${count(arm.tokens.cached)})`,
      dollars(arm.costUsd),
      duration(arm.activeMs),
      arm.turns,
      arm.interventions,
    ]);
  return table.toString();
}

function describePair(pair: PairComparison): string {
  const [main, asFailures] = pair.readings;
  if (!main) return "";
  const lines = [
    `${pair.b} − ${pair.a} (${pair.of}), ${main.tasks} tasks, ${main.test}`,
    `  new tasks:   ${points(main.newTasks)}  p = ${main.adjustedP.toFixed(4)} (Holm)`,
    `  this suite:  ${main.thisSuite ? points(main.thisSuite) : "not told: fewer than 3 repeats that differ"}`,
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
