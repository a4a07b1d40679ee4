import pc from "picocolors";
import type { PairComparison } from "../../../evals/compare/compare.ts";
import type { ArmSummary } from "../../../evals/arms/arm-summary.ts";
import type { ComparisonReport } from "../../../evals/compare/comparison-report.ts";
import { oneLine, printableData } from "../../../harness/text/printable.ts";
import { plural, pointsEnd, signedPoints } from "../../../harness/text/figures.ts";
import { armTable, dispensable } from "../../content/arm-table.ts";
import { gateName } from "../../content/comparison-lines.ts";
import { changeOf, changesCounted, keptBack, markOf, marks, mostTelling, settingOf, variantsLine } from "../../content/comparison-page.ts";
import { baselineOf, couldShow, headline, ranked, verdictLines } from "../../content/verdict-lines.ts";
import { displayWidth, fitMiddle, fitWidth, padWidth } from "../../text/display-width.ts";
import { plainTable } from "../../text/lay-table.ts";
import { nextSteps as stepsText } from "../../text/next-steps.ts";
import { wrapped } from "../../text/wrapped.ts";
import { comparisonDetails } from "./comparison-details.ts";

const [mostExamples, mostLacks, mostArms] = [3, 3, 20];
/** A bar is so many cells; a name is cut beyond so many, in its middle. */
const [barCells, longestName] = [20, 36];

interface PageOptions {
  /** Everything, the ledger and the list of each pair's tasks too. */
  readonly all?: boolean | undefined;
  /** Of the terminal; at most 100 are used. */
  readonly columns?: number | undefined;
}

/** A comparison for the terminal and for a text file: the answer first, one table, at most three examples, where to look next. */
export function describeComparison(compared: ComparisonReport, { all = false, columns = 100 }: PageOptions = {}): string {
  const report = printableData({ ...compared, pairs: compared.pairs.map(withMainFlips) }); // names of tasks, configurations and folders come out of the jobs' files
  const width = Math.min(100, columns);
  const [pair, ...others] = report.pairs;
  const lacks = report.shortcomings.map((one) => `${one}.`);
  const shown = all ? lacks : lacks.slice(0, mostLacks);
  const named = variantsLine(report);
  const notes = [
    ...notesOf(report),
    ...(named === undefined ? [] : [named]),
    ...shown,
    ...(shown.length < lacks.length ? [`${lacks.length - shown.length} more such: --all`] : []),
  ];
  return [
    ...verdictRows(headline(report), width).map(pc.bold),
    ...lines(settingOf(report), width).map(pc.dim),
    ...notes.flatMap((note) => lines(note, width)),
    ...(report.gate ? lines(`Gate ${gateName[report.gate.answer]}: ${report.gate.why}`, width) : []),
    "",
    ...ranking(report, { all, width }),
    ...(pair === undefined ? [] : others.length === 0 ? examples(pair, { all, width }) : matrix(report, { all, width })),
    "",
    ...(all ? [comparisonDetails(report)] : nextSteps(report, width)),
  ].join("\n");
}

/** The page shows the flips of one reading only; cleaning the others would take most of the time of a large comparison. */
const withMainFlips = (pair: PairComparison): PairComparison => ({
  ...pair,
  readings: pair.readings.map((one, i) => (i === 0 ? one : { ...one, flips: [] })),
});

/** A verdict that takes more than a narrow terminal's line ends it before its interval, or behind its first clause. */
export function verdictRows(verdict: string, width: number): string[] {
  const at = verdict.search(/ \((?=(simultaneous )?95 % interval|[+−\d][\d.]* points)|(?<=^.{0,79};) /);
  if (displayWidth(verdict) <= narrow || at < 0) return lines(verdict, Math.min(width, narrow));
  return [...lines(verdict.slice(0, at), Math.min(width, narrow)), ...lines(verdict.slice(at + 1), width)];
}
const narrow = 80;

const lines = (text: string, width: number): string[] => wrapped(text, "", width).split("\n");

/** What one verdict rests on; of several each has its own, which `--all` shows. */
function notesOf(report: ComparisonReport): string[] {
  const sentences = new Set(report.pairs.map(({ verdict }) => verdict.sentence));
  return sentences.size === 1 ? verdictLines(report) : [];
}

/** The configurations, of more than two the one with the highest rate first, of two with a bar each where there is room. */
export function ranking(report: ComparisonReport, { all, width }: { readonly all: boolean; readonly width: number }): string[] {
  const many = report.pairs.length > 1;
  const arms = many ? ranked(report.arms) : report.arms;
  const shown = all ? arms : arms.slice(0, mostArms);
  const table = armTable(shown, { interval: many });
  const baseline = baselineOf(report);
  const decided = baseline !== undefined && report.pairs.some(({ verdict }) => marks[verdict.word] !== undefined);
  const after = 1 + table.head.findIndex((one) => one === (many ? table.head.at(-1) : "rate"));
  const put = (row: readonly string[], cells: readonly string[]): string[] => [...row.slice(0, after), ...cells, ...row.slice(after)];
  const laid = (head: readonly string[], cells: (arm: ArmSummary) => readonly string[], most: number): string => {
    const rows = table.rows.map((row, i) => put([fitMiddle(row[0] ?? "", longestName), ...row.slice(1)], shown[i] ? cells(shown[i]) : []));
    return plainTable(put(table.head, head), rows, { dispensable, most });
  };
  const drawn = decided
    ? laid([`against ${fitMiddle(baseline, longestName)}`], (arm) => [against(report, arm.name)], width)
    : many
      ? laid([], () => [], width)
      : laid([""], (arm) => [bar(arm.rate.value)], Infinity);
  const fits = drawn.split("\n").every((line) => displayWidth(line) <= width);
  return [
    fits ? drawn : laid([], () => [], width), // a bar only repeats the rate
    ...(table.note === undefined ? [] : [pc.dim(table.note)]),
    ...interventionLines(shown, { all, width }),
    ...(shown.length < arms.length ? [`… ${arms.length - shown.length} more: --all`] : []),
  ];
}

/** Whether middleware acted at all is the first question to a change of it; nothing where that is not known of each. */
function interventionLines(arms: readonly ArmSummary[], { all, width }: { readonly all: boolean; readonly width: number }): string[] {
  if (arms.some(({ interventions }) => interventions === null)) return [];
  const acted = arms.flatMap(({ name, interventions, trials }) =>
    interventions ? [`${fitMiddle(name, longestName)} ${plural(interventions, "time")} in ${plural(trials, "trial")}`] : [],
  );
  const shown = all ? acted : acted.slice(0, mostExamples);
  const text = `Middleware acted: ${shown.join(", ")}${shown.length < acted.length ? ", …" : ""}.`;
  return lines(acted.length === 0 ? "No middleware acted." : text, width).map(pc.dim);
}

/** `▲ +12 (3 to 21)`. */
function against({ pairs }: ComparisonReport, name: string): string {
  const pair = pairs.find(({ b }) => b === name);
  const main = pair?.readings[0];
  if (!pair || !main) return "";
  const { value, low, high } = main.newTasks;
  return `${coloured(marks[pair.verdict.word] ?? "")} ${signedPoints(value)} (${pointsEnd(low)} to ${pointsEnd(high)})`;
}

/** `▕██████████▌  ▏`. */
function bar(rate: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, rate)) * barCells * 8);
  const part = " ▏▎▍▌▋▊▉".charAt(eighths % 8);
  return `▕${"█".repeat(Math.floor(eighths / 8))}${eighths % 8 === 0 ? "" : part}`.padEnd(barCells + 1) + "▏";
}

/** How many tasks changed, and the most telling of them. */
function examples(pair: PairComparison, { all, width }: { readonly all: boolean; readonly width: number }): string[] {
  if (pair.readings[0]?.tasks === 0) return [];
  const telling = mostTelling(pair);
  const shown = all ? telling : telling.slice(0, mostExamples);
  const names = Math.max(0, ...shown.map(({ task }) => displayWidth(fitMiddle(task, longestName))));
  const changes = Math.max(0, ...shown.map((flip) => changeOf(flip).length));
  const line = (flip: (typeof shown)[number]): string => {
    const says = flip.parting ? oneLine(flip.parting.b.says) : undefined;
    const where = flip.parting ? `   turn ${flip.parting.turn}: ${says === "" ? "says nothing" : says}` : "";
    return fitWidth(`  ${padWidth(fitMiddle(flip.task, longestName), names)}   ${changeOf(flip).padEnd(changes)}${where}`.trimEnd(), width);
  };
  return [
    "",
    changesCounted(pair),
    ...shown.map(line),
    ...(shown.length < telling.length ? [`  … ${telling.length - shown.length} more: --all`] : []),
  ];
}

/** Who is better than whom; nothing where no verdict was given, or where all are compared with one. */
function matrix(report: ComparisonReport, { all, width }: { readonly all: boolean; readonly width: number }): string[] {
  const words = new Set(report.pairs.map(({ verdict }) => verdict.word));
  const drawn = [...words].filter((word) => marks[word] !== undefined);
  if (drawn.length === 0) return [];
  const legend = ["", ...lines(legendOf(report, drawn), width)];
  if (baselineOf(report) !== undefined) return legend;
  const arms = ranked(report.arms);
  const shown = all ? arms : arms.slice(0, mostArms);
  const names = shown.map(({ name }, i) => `${i + 1} ${fitMiddle(name, longestName)}`);
  const rows = shown.map(({ name }, i) => [names[i] ?? "", ...shown.map((other) => coloured(markOf(report.pairs, name, other.name)))]);
  return ["", plainTable(["", ...shown.map((_, i) => String(i + 1))], rows, { most: width }), ...legend];
}

function legendOf(report: ComparisonReport, drawn: readonly string[]): string {
  const has = (...words: readonly string[]): boolean => words.some((word) => drawn.includes(word));
  const quiet = report.pairs.filter(({ verdict }) => verdict.word === "no difference shown");
  return [
    ...(has("better", "worse")
      ? [`${marks.better} better, ${marks.worse} worse${baselineOf(report) === undefined ? " than the one of the column" : ""}`]
      : []),
    ...(has("better on this suite only", "worse on this suite only")
      ? [`${marks["better on this suite only"]} ${marks["worse on this suite only"]} on this suite only`]
      : []),
    ...(has("equivalent") ? [`${marks.equivalent} equivalent`] : []),
    ...(quiet.length > 0 ? [`${marks["no difference shown"]} no difference shown: ${couldShow(quiet)}`] : []),
  ].join("; ");
}

const coloured = (mark: string): string => (mark === "▲" ? pc.green(mark) : mark === "▼" ? pc.red(mark) : mark);

/** Where to look next, in as few lines as fit. */
function nextSteps(report: ComparisonReport, width: number): string[] {
  const own = report.arms.every(({ measuredBy }) => measuredBy === "Forge");
  const jobs = report.jobs.map(oneLine).join(" ");
  const kept = keptBack(report);
  const figures = ["All figures", "--all, --json"] as const;
  return [
    ...(kept.length > 0 ? lines(`Also ${kept.join("; ")}: --all`, width) : []),
    stepsText(own ? [["Why", `analyze ${jobs}`], ["Side by side", `view ${jobs}`], figures] : [figures], width),
  ];
}
