import type { ArmSummary } from "../../../evals/arms/arm-summary.ts";
import type { PairComparison } from "../../../evals/compare/compare.ts";
import type { ComparisonReport } from "../../../evals/compare/comparison-report.ts";
import {
  differenceName,
  effectName,
  ledgerLine,
  partingLine,
  points,
  probability,
  rate,
  readingName,
  remarks,
  runLinks,
  share,
  signed,
  largestFlips,
  lostTold,
  passLines,
  shortened,
  tornLines,
  byTasks,
  unitsText,
} from "../../content/comparison-lines.ts";
import { pointsSize } from "../../../harness/text/figures.ts";
import { count, dollars, duration, percent, plural } from "../../text/format.ts";
import { plainTable } from "../../text/lay-table.ts";
import { hanging } from "../../text/wrapped.ts";

/** Flips whose runs are named one by one; the others are in `--json`. */
const mostTraced = 10;

/** What the first page leaves out: all that is used and lost, each pair in full, the conditions, the ledger. */
export function comparisonDetails(report: ComparisonReport): string {
  const ledger = ledgerLine(report);
  return [
    report.simulated ? `${report.suite} (simulated)` : report.suite,
    armFigures(report.arms),
    ...(report.grid ? [gridTable(report.arms)] : []),
    ...remarks(report).map((line) => hanging(line)),
    ...report.pairs.map(describePair),
    ...(ledger === undefined ? [] : [hanging(ledger)]),
  ].join("\n");
}

/** All that is known of each configuration by itself, several lines each; its model where there are several. */
export function armFigures(arms: readonly ArmSummary[]): string {
  const severalModels = new Set(arms.map(({ model }) => model)).size > 1;
  const rows = arms.map((arm) => [
    severalModels ? `${arm.name}\n${arm.model}` : arm.name,
    [`${arm.passed}/${arm.trials - arm.unscored}`, ...(arm.unscored > 0 ? [`${arm.unscored} no score`] : [])].join("\n"),
    [
      rate(arm.rate).replace(" [", "\n["),
      ...(arm.rateWithFailures ? [`as failures ${percent(arm.rateWithFailures.value)}`] : []),
      ...passLines(arm).map((line) => line.replace(", ", "\n")),
    ].join("\n"),
    [
      `${count(arm.tokens.in)}/${count(arm.tokens.out)}`,
      ...(arm.tokens.cached === null ? [] : [`${count(arm.tokens.cached)} cached`]),
    ].join("\n"),
    dollars(arm.costUsd, { simulated: arm.costSimulated }),
    [duration(arm.activeMs), ...told(arm.turns, "turn"), ...told(arm.interventions, "intervention")].join("\n"),
  ]);
  return plainTable(["configuration", "passed", "mean over tasks", "tokens in/out", "cost", "working time"], rows);
}

/** Nothing where the results do not say. */
const told = (n: number | null, word: string): string[] => (n === null ? [] : [plural(n, word)]);

/** Harness down, model across: a row is one harness, whose differences are the models'. */
function gridTable(arms: readonly ArmSummary[]): string {
  const models = [...new Set(arms.map((arm) => arm.model))];
  const harnesses = [...new Set(arms.map((arm) => arm.harnessHash))];
  const rows = harnesses.map((hash) => {
    const row = arms.filter((arm) => arm.harnessHash === hash);
    return [
      [...new Set(row.map((arm) => arm.configuration))].join("/"),
      ...models.map((model) => cellOf(row.find((arm) => arm.model === model))),
    ];
  });
  return plainTable(["harness \\ model", ...models], rows);
}
const cellOf = (arm: ArmSummary | undefined): string => (arm ? percent(arm.rate.value) : "");

function describePair(pair: PairComparison): string {
  const [main, ...others] = pair.readings;
  if (!main) return "";
  const lines = [
    `${differenceName(pair.b, pair.a)} (${effectName[pair.of]}), ${unitsText(main)}, ${main.test}`,
    `  new tasks:   ${points(main.newTasks)}  ${probability(main.adjustedP)} (Holm); could have seen ${pointsSize(main.couldHaveSeen)} points`,
    ...optional(byTasks(main), (told) => `               ${told}`),
    `  this suite:  ${main.thisSuite ? `${points(main.thisSuite)}  ${probability(main.adjustedSuiteP ?? 1)} (Holm)` : "not shown: needs 3 repeats with different replies in every task"}`,
    ...(main.equivalenceP === null ? [] : [`  equivalence: ${probability(main.equivalenceP)} (two one-sided tests, Holm)`]),
    ...(pair.lost > 0
      ? [
          `  ${lostTold(pair)}, above left out`,
          ...others.map((one) => `    ${readingName[one.reading]}: ${points(one.newTasks)}  ${probability(one.adjustedP)}`),
        ]
      : []),
    flipTable(pair),
    ...flipLinks(pair),
    ...(pair.leftOut.length > 0 ? [`  not in both: ${named(shortened(pair.leftOut).shown, shortened(pair.leftOut).more)}`] : []),
    ...groupLines(pair),
  ];
  return lines
    .flatMap((line) => line.split("\n"))
    .map((line) => hanging(line))
    .join("\n");
}

const optional = (told: string | undefined, line: (told: string) => string): string[] => (told === undefined ? [] : [line(told)]);

function flipTable(pair: PairComparison): string {
  const flips = pair.readings[0]?.flips ?? [];
  const row = (change: string): string => {
    const tasks = flips.filter((flip) => flip.change === change);
    const { shown, more } = largestFlips(tasks);
    const names = shown.map((flip) => (change === "same" ? flip.task : `${flip.task} ${share(flip.a)}→${share(flip.b)}`));
    return `  ${change.padEnd(7)} ${String(tasks.length).padStart(3)}  ${named(names, more)}`;
  };
  return ["fixed", "broken", "same"].map(row).join("\n");
}

const named = (names: readonly string[], more: number): string => `${names.join(", ")}${more > 0 ? ` and ${more} more with --json` : ""}`;

function flipLinks({ a, b, flips }: PairComparison): string[] {
  const lines = flips.slice(0, mostTraced).flatMap((flip) => {
    const [links, parting] = [runLinks(flip), partingLine(flip)];
    if (links.a === undefined || links.b === undefined) return [];
    const torn = tornLines(flip, { a, b }).map((line) => `    ${line}`);
    return [
      `  ${flip.change} ${flip.task}${parting === undefined ? "" : `: ${parting}`}`,
      `    ${a} ${links.a}`,
      `    ${b} ${links.b}`,
      ...torn,
    ];
  });
  return lines.length > 0 && flips.length > mostTraced ? [...lines, `  ${flips.length - mostTraced} more with --json`] : lines;
}

function groupLines({ groups }: PairComparison): string[] {
  if (groups.length === 0) return [];
  const line = (by: (typeof groups)[number]["by"]): string[] => {
    const some = groups.filter((group) => group.by === by);
    const told = some.map(
      ({ name, tasks, raw, shrunken, se }) => `${name} ${signed(shrunken)} ± ${pointsSize(1.96 * se)} (counted ${signed(raw)}, ${tasks})`,
    );
    return some.length > 0 ? [`  by ${by}: ${told.join(", ")}`] : [];
  };
  return [
    "  exploratory, points shrunken towards all tasks; never a result by itself",
    ...line("family"),
    ...line("category"),
    ...line("difficulty"),
  ];
}
