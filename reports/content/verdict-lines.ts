import type { PairComparison } from "../../evals/compare/compare.ts";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import type { VerdictWord } from "../../evals/compare/verdict.ts";
import { pointsSize } from "../../harness/text/figures.ts";
import { plural } from "../text/format.ts";
import { rate, unitsText } from "./comparison-lines.ts";

/** The answer of a comparison in every page: one sentence, to be read before anything else; of an invalid job it begins with that. */
export function headline(report: ComparisonReport): string {
  const [, unscored] = /is invalid: (\d+ of \d+) trials/.exec(report.incomplete.join("\n")) ?? [];
  const isDecided = report.pairs.some(({ verdict }) => order.includes(verdict.word));
  return `${unscored !== undefined && isDecided ? `Invalid job, ${unscored} unscored: ` : ""}${answerOf(report)}`;
}

function answerOf(report: ComparisonReport): string {
  const { pairs, notComparable } = report;
  if (notComparable !== undefined) return `Not comparable: ${notComparable}.`;
  const sentences = [...new Set(pairs.map(({ verdict }) => verdict.sentence))];
  const [only] = sentences;
  if (only === undefined) return alone(report);
  if (sentences.length === 1) return only;
  const baseline = baselineOf(report);
  return baseline === undefined ? (ofLeader(report) ?? counted(pairs)) : `Compared with ${baseline}: ${named(pairs)}.`;
}

/** What the headline rests on: of one verdict its notes (that it is exploratory the setting says), of several each in full. */
export function verdictLines({ pairs }: ComparisonReport): string[] {
  const [first, ...others] = pairs.map(({ verdict }) => verdict);
  if (!first) return [];
  if (others.some(({ sentence }) => sentence !== first.sentence)) return [...new Set(pairs.map(({ verdict }) => verdict.text))];
  return [...new Set(pairs.flatMap(({ verdict }) => verdict.notes))];
}

/** `exploratory: under 30 tasks`, once. */
export const hints = ({ pairs }: Pick<ComparisonReport, "pairs">): string[] => [
  ...new Set(pairs.flatMap(({ verdict }) => verdict.hint ?? [])),
];

/** The configuration that all others are compared with, where there is one. */
export function baselineOf({ pairs }: Pick<ComparisonReport, "pairs">): string | undefined {
  const [first, ...others] = pairs;
  return others.length > 0 && others.every(({ a }) => a === first?.a) ? first?.a : undefined;
}

/** One configuration by itself. */
function alone({ arms, simulated }: ComparisonReport): string {
  const [arm] = arms;
  if (!arm) return "There is no configuration in it.";
  const label = simulated ? " Simulated: this says nothing about any real model." : "";
  return `${arm.name} passed ${arm.passed} of ${plural(arm.trials - arm.unscored, "scored trial")}, ${rate(arm.rate)} over its tasks; there is nothing to compare it with.${label}`;
}

const order: readonly VerdictWord[] = ["better", "worse", "better on this suite only", "worse on this suite only", "equivalent"];

/** The ones that decide first. */
const inOrder = (words: readonly VerdictWord[]): VerdictWord[] => [...new Set([...order, ...words])].filter((word) => words.includes(word));

/** `2 better, 1 no difference shown`. */
const words = (given: readonly VerdictWord[]): string =>
  inOrder(given)
    .map((word) => `${given.filter((one) => one === word).length} ${word}`)
    .join(", ");

const counted = (pairs: readonly PairComparison[]): string =>
  `Of ${plural(pairs.length, "comparison")}: ${words(pairs.map(({ verdict }) => verdict.word))}.`;

const opposite: Readonly<Partial<Record<VerdictWord, VerdictWord>>> = {
  better: "worse",
  worse: "better",
  "better on this suite only": "worse on this suite only",
  "worse on this suite only": "better on this suite only",
};

/** The verdict on one of the two: `better` where it did better than the other. */
export const wordFor = ({ b, verdict }: PairComparison, name: string | undefined): VerdictWord =>
  b === name ? verdict.word : (opposite[verdict.word] ?? verdict.word);

/** So long a list of names of one verdict leaves the sentence readable. */
const mostNamed = 60;
const inBrackets = (names: readonly string[]): string => {
  const list = names.join(", ");
  return list.length > mostNamed ? "" : ` (${list})`;
};

const named = (pairs: readonly PairComparison[]): string =>
  inOrder(pairs.map(({ verdict }) => verdict.word))
    .map((word) => {
      const of = pairs.filter(({ verdict }) => verdict.word === word);
      return `${of.length} ${word}${order.includes(word) ? inBrackets(of.map(({ b }) => b)) : ""}`;
    })
    .join(", ");

/** Of all pairs: whom the one with the highest rate is better than; undefined where it decides nothing and others do. */
function ofLeader({ pairs, arms }: ComparisonReport): string | undefined {
  if (pairs.every(({ verdict }) => verdict.word === "no difference shown"))
    return `No difference shown in any of ${plural(pairs.length, "comparison")}. ${couldShow(pairs)}.`;
  const [leader] = ranked(arms);
  const own = pairs.filter(({ a, b }) => a === leader?.name || b === leader?.name);
  const of = (pair: PairComparison): VerdictWord => wordFor(pair, leader?.name);
  const wins = own.filter((pair) => of(pair) === "better");
  if (!leader || wins.length === 0 || own.length < arms.length - 1) return undefined;
  const rest = own.filter((pair) => !wins.includes(pair));
  const others = rest.map(({ a, b }) => (a === leader.name ? b : a));
  const shown = rest.every((pair) => of(pair) === "no difference shown");
  const many =
    wins.length === own.length
      ? own.length === 2
        ? "both others"
        : `all ${own.length} others`
      : `${wins.length} of the ${own.length} others`;
  return `${leader.name} is better than ${many}${rest.length === 0 ? "" : shown ? `; no difference shown for ${rest.length}${inBrackets(others)}` : `; of the rest ${words(rest.map(of))}`}.`;
}

/** The highest rate first. */
export const ranked = (arms: ComparisonReport["arms"]): ComparisonReport["arms"] =>
  arms.toSorted((x, y) => y.rate.value - x.rate.value || (x.name < y.name ? -1 : 1));

/** `80 tasks can show differences of 11 to 18 points`: what was not shown may be as large. */
export function couldShow(pairs: readonly PairComparison[]): string {
  const readings = pairs.flatMap(({ readings: [main] }) => main ?? []);
  const sizes = readings.map(({ couldHaveSeen }) => couldHaveSeen);
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)].map(pointsSize);
  const [first] = readings.toSorted((x, y) => y.tasks - x.tasks);
  return `${first ? unitsText(first) : "They"} can show differences of ${low === high ? low : `${low} to ${high}`} points or more`;
}
