import { plural, pointsEnd, pointsSize, probability, signedPoints } from "../../harness/text/figures.ts";
import { exploratoryBelow, fewest } from "../statistics/family-means.ts";
import { equivalence } from "../statistics/equivalence.ts";
import { holm } from "../statistics/holm.ts";
import type { Estimate } from "../statistics/interval.ts";
import { showsDifference } from "../statistics/paired-test.ts";
import type { Difference } from "./compare-arms.ts";
import type { MissingCounts } from "../arms/missing-trials.ts";
import type { TippingPoint } from "./tipping-point.ts";

/** The answer, in the words of the design; `not comparable` and `withheld` (simulated, or not at its end) say that there is none. */
export type VerdictWord =
  | "better"
  | "worse"
  | "better on this suite only"
  | "worse on this suite only"
  | "equivalent"
  | "no difference shown"
  | "too few tasks"
  | "withheld"
  | "not comparable";

export interface Verdict {
  readonly word: VerdictWord;
  /** The answer, as a colleague could be told. */
  readonly sentence: string;
  /** What it rests on or leaves open, a sentence each. */
  readonly notes: readonly string[];
  /** Both, and that it is exploratory. */
  readonly text: string;
  /** Between 15 and 29 tasks, or between 8 and 14 families: a hint, not a result. */
  readonly exploratory: boolean;
  /** `exploratory: under 30 tasks`; null where it is not. */
  readonly hint: string | null;
}

/** A reading with its p after Holm's adjustment over all comparisons: of the difference, of the one on this suite, and of equivalence within the margin. */
export type AdjustedDifference = Omit<Difference, "equivalenceP"> & {
  readonly adjustedP: number;
  readonly adjustedSuiteP: number | null;
  /** Two one-sided tests; null where no margin was stated. */
  readonly equivalenceP: number | null;
};

const alpha = 0.05;

/** `29 points`: how large a difference is. */
export const points = (share: number): string => `${pointsSize(share)} points`;

/** One reading of every comparison, adjusted together. */
export function adjust(differences: readonly Difference[], margin: number | undefined): AdjustedDifference[] {
  const adjusted = holm(differences.map(({ p }) => p));
  const suite = holm(differences.map((one) => one.thisSuite?.p ?? 1));
  const same = margin === undefined ? [] : holm(differences.map((one) => one.equivalenceP ?? equivalence(one.cautious, margin)));
  return differences.map((difference, i) => ({
    ...difference,
    newTasks: asWideAsTheTest(difference.newTasks, adjusted[i] ?? 1),
    thisSuite: difference.thisSuite && asWideAsTheTest(difference.thisSuite, suite[i] ?? 1),
    adjustedP: adjusted[i] ?? 1,
    adjustedSuiteP: difference.thisSuite ? (suite[i] ?? 1) : null,
    equivalenceP: same[i] ?? null,
  }));
}

/** What a test does not rule out is in the interval beside it: test and interval are two approximations, and 0 belongs to both or neither. */
function asWideAsTheTest<T extends Estimate>(estimate: T, adjustedP: number): T {
  return adjustedP < alpha ? estimate : { ...estimate, low: Math.min(0, estimate.low), high: Math.max(0, estimate.high) };
}

/**
 * Decides from all readings of trials without a score. Follows the new-tasks estimand: *better* and *worse* need p < 5 % after Holm and an interval
 * without 0, in each reading.
 */
export function decide(o: {
  a: string;
  b: string;
  readings: readonly AdjustedDifference[];
  simulated: boolean;
  /** Trials that are not there. */
  missing?: MissingCounts | undefined;
  /** The model, where several were measured and this is a comparison with one of them. */
  under?: string | undefined;
  /** Why there is no verdict yet, and the cure: a clause without its full stop. */
  notEnded?: string | undefined;
  margin?: number | undefined;
  /** How many there are in all. */
  comparisons?: number | undefined;
  /** Where it shows with trials without a score left out, and not in each reading: what of them would have to go against it. */
  tipping?: TippingPoint | undefined;
  /** Of a job that stops when decided: who was better, if anybody, after how many of the planned tasks. */
  looks?: { readonly better: "a" | "b" | null; readonly tasks: number; readonly planned: number } | undefined;
}): Verdict {
  const { a, b, readings, looks, missing } = o;
  const [main] = readings;
  const tasks = Math.min(...readings.map((one) => one.tasks));
  const families = readings.reduce((least, one) => Math.min(least, one.families ?? one.tasks), tasks);
  const enough = tasks >= fewest.tasks && families >= fewest.families;
  const exploratory = enough && (tasks < exploratoryBelow.tasks || families < exploratoryBelow.families);
  const few = tasks < exploratoryBelow.tasks ? `${exploratoryBelow.tasks} tasks` : `${exploratoryBelow.families} families`;
  const early = looks && looks.better !== null && looks.tasks < looks.planned;
  const verdict = (word: VerdictWord, said: string, more: readonly string[] = []): Verdict => {
    const before = `${early && word !== "withheld" ? `Stopped early, after ${looks.tasks} of ${looks.planned} tasks: ` : ""}${o.under === undefined ? "" : `With ${o.under}: `}`;
    const [sentence, notes] = [before + said, [...more, ...absence(o, word)]];
    const hint = exploratory && word !== "withheld" ? `exploratory: under ${few}` : null;
    const text = [sentence, ...notes, ...(hint === null ? [] : [`Exploratory: under ${few}.`])].join(" ");
    return { word, sentence, notes, text, exploratory, hint };
  };
  if (o.simulated)
    return verdict("withheld", "Verdict withheld: the model is simulated.", [
      "Its faults and what the harness does about them were written by the same people: this shows that the machinery works.",
    ]);
  if (o.notEnded !== undefined) {
    const far =
      main && main.tasks > 0
        ? [`So far ${b} differs from ${a} by ${signedPoints(main.newTasks.value)} points on ${plural(main.tasks, "task")}.`]
        : [];
    return verdict("withheld", `Verdict withheld: ${o.notEnded}.`, ["Looking before the end finds differences that are none.", ...far]);
  }
  if (!main || !enough) return verdict("too few tasks", tooFew(tasks, main?.families === null ? undefined : families));
  const shows = (of: readonly AdjustedDifference[], sign: 1 | -1): boolean =>
    // what was decided while it ran is decided, and by nothing else
    looks
      ? looks.better === (sign > 0 ? "b" : "a")
      : showsDifference(
          of.map((one) => ({ p: one.adjustedP, interval: one.newTasks })),
          sign,
          alpha,
        );
  const interval = `${(o.comparisons ?? 1) > 1 && !looks ? "simultaneous " : ""}95 % interval${looks ? " at any time" : ""}`;
  /** Of B − A with its sign, in brackets behind what it is about. */
  const signed = ({ value, low, high }: Estimate, p?: number): string =>
    `${signedPoints(value)} points, ${interval} ${pointsEnd(low)} to ${pointsEnd(high)}${p === undefined ? "" : `, ${probability(p)}`}`;
  /** Of a difference whose sign the word has said. */
  const by = ({ value, low, high }: Estimate, p: number): string => {
    const ends = value < 0 ? [-high, -low] : [low, high];
    return `by ${points(value)} (${interval} ${ends.map(pointsEnd).join(" to ")}, ${probability(p)})`;
  };
  const size = by(main.newTasks, main.adjustedP);
  if (shows(readings, 1)) return verdict("better", `${b} is better than ${a} ${size}.`);
  if (shows(readings, -1)) return verdict("worse", `${b} is worse than ${a} ${size}.`);
  const within = o.margin !== undefined && readings.every((one) => one.equivalenceP !== null && one.equivalenceP < alpha);
  if (within) return verdict("equivalent", `${a} and ${b} are equivalent within ±${points(o.margin ?? 0)} (${signed(main.newTasks)}).`);
  const here = ([1, -1] as const).find((sign) => showsHere(readings, sign));
  if (here && main.thisSuite) {
    const word = here > 0 ? "better" : "worse";
    return verdict(
      `${word} on this suite only`,
      `${b} is ${word} than ${a} on this suite only, ${by(main.thisSuite, main.adjustedSuiteP ?? 1)}.`,
      [`That shows nothing about other tasks: for new ones ${signed(main.newTasks, main.adjustedP)}.`],
    );
  }
  const seen = ([1, -1] as const).find((sign) => shows([main], sign));
  const broken = seen && readings.find((one) => one !== main && !shows([one], seen));
  const units = `${plural(main.tasks, "task")}${main.families === null ? "" : ` of ${plural(main.families, "family", "families")}`}`;
  const could = `${units} can show differences of ${points(main.couldHaveSeen)} or more.`;
  if (!broken) return verdict("no difference shown", `No difference shown between ${a} and ${b} (${signed(main.newTasks)}). ${could}`);
  const unknown =
    missing && missing.a.missing + missing.b.missing > 0 ? "trials that are missing or have no score" : "trials without a score";
  const how = broken.reading === "failed" ? "as failures" : "against it";
  return verdict("no difference shown", `No difference shown between ${a} and ${b}, with ${unknown} ${how} (${signed(broken.newTasks)}).`, [
    `It shows when they are left out: ${signed(main.newTasks, main.adjustedP)}.`,
    ...tippingText(o),
    could,
  ]);
}

/** Whether the readings together show it on these very tasks. */
const showsHere = (readings: readonly AdjustedDifference[], sign: 1 | -1): boolean =>
  showsDifference(
    readings.map(({ thisSuite, adjustedSuiteP }) => ({ p: adjustedSuiteP ?? 1, interval: thisSuite ?? { low: -1, high: 1 } })),
    sign,
    alpha,
  );

/** `It falls if 7 of the 9 missing trials of b failed.` */
function tippingText({ a, b, tipping }: { a: string; b: string; tipping?: TippingPoint | undefined }): string[] {
  if (!tipping) return [];
  const { falls, of, missing, side } = tipping;
  const share = falls === of ? (of === 1 ? "the one" : `all ${of}`) : `${falls} of the ${of}`;
  const trials = `${missing ? "missing " : ""}${of === 1 ? "trial" : "trials"}${missing ? "" : " without a score"}`;
  const what = side === "both" ? "went against it" : `of ${side.of === "a" ? a : b} ${side.counts === 0 ? "failed" : "passed"}`;
  return [`It falls if ${share} ${trials} ${what}.`];
}

/** `families`: where they are the unit. */
function tooFew(tasks: number, families: number | undefined): string {
  const units = `${plural(tasks, "task")}${families === undefined ? "" : ` of ${plural(families, "family", "families")}`}`;
  const needed = `${fewest.tasks}${families === undefined ? "" : ` tasks of ${fewest.families} families`}`;
  return `No verdict: ${units} ${tasks === 1 ? "is" : "are"} too few to decide on; ${needed} are needed, counts only.`;
}

/** How much is missing of each arm, and what to do about it. */
function absence({ a, b, missing }: { a: string; b: string; missing?: MissingCounts | undefined }, word: VerdictWord): string[] {
  if (!missing || missing.a.missing + missing.b.missing === 0) return [];
  const of = (name: string, arm: MissingCounts["a"]): string[] =>
    arm.missing > 0 ? [`${arm.missing} of ${plural(arm.of, "trial")} of ${name}`] : [];
  const told = [...of(a, missing.a), ...of(b, missing.b)].join(" and ");
  const holds = word !== "no difference shown" && word !== "too few tasks" && word !== "withheld";
  if (holds) return [`Missing: ${told}; it holds however they are read.`];
  const cure =
    missing.tasks > 0 && word !== "withheld"
      ? [
          `Where the ${plural(missing.tasks, "task")} that only one of them has ${missing.tasks === 1 ? "was" : "were"} never meant for the other, say so by --common-tasks.`,
        ]
      : [];
  return [`Missing: ${told}.`, ...cure];
}
