import { seededRandom } from "../../../harness/seeded-random.ts";
import { familyDifference, pairedDifference, showsDifference, type PairedDifference } from "../../../evals/statistics/paired-test.ts";
import { familyMeans, fewest } from "../../../evals/statistics/family-means.ts";
import type { Measured } from "../measure.ts";
import type { OutcomeRates } from "./outcome-rates.ts";
import { drawTruth, type Truth } from "./truth.ts";

/** A suite of families: how many, how large, and how alike the tasks of one are. */
export interface FamilyScenario {
  readonly families: number;
  /** `4 each`; `1 to 10`: four of ten families have one task, three have 2, two 4 and one 10. */
  readonly sizes: "4 each" | "1 to 10";
  /** Intraclass correlation of the tasks' observed differences. */
  readonly icc: number;
  readonly repeats: number;
  /** `equal`: two agents of one mean, so every verdict is false; `lifted`: 15 points more on the tasks that failed. */
  readonly truth: "equal" | "lifted";
}

/** Shares of the simulations, by the family as the unit and by the task. */
export interface FamilyResult {
  readonly families: { readonly verdict: number; readonly covered: number };
  readonly tasks: { readonly verdict: number; readonly covered: number };
}

export interface FamilyRow {
  readonly scenario: FamilyScenario;
  readonly result: FamilyResult;
}

const sizes: Readonly<Record<FamilyScenario["sizes"], readonly number[]>> = { "4 each": [4], "1 to 10": [1, 1, 1, 1, 2, 2, 2, 4, 4, 10] };

/** Every cell that `docs/lab/statistics.md` shows. */
const familyScenarios: readonly FamilyScenario[] = [
  ...([3, 5, 8, 15, 23, 40] as const).flatMap((families) =>
    (["4 each", "1 to 10"] as const).flatMap((of) =>
      [0, 0.2, 0.35, 0.5].flatMap((icc) =>
        [1, 3].map((repeats): FamilyScenario => ({ families, sizes: of, icc, repeats, truth: "equal" })),
      ),
    ),
  ),
  ...[8, 23, 40].flatMap((families) =>
    [0, 0.35].map((icc): FamilyScenario => ({ families, sizes: "4 each", icc, repeats: 3, truth: "lifted" })),
  ),
];

/**
 * Each family draws a published task, its first; each further task repeats the first one's trials, in both arms, with chance √ICC, and is else a published task
 * of its own. So any two of a family correlate by ICC in all that is observed, and each task by itself is drawn as in the other simulations.
 */
export function simulateFamilies(scenario: FamilyScenario, rates: OutcomeRates, simulations: number, random: () => number): FamilyResult {
  const total = { families: { verdict: 0, covered: 0 }, tasks: { verdict: 0, covered: 0 } };
  const copies = Math.sqrt(scenario.icc);
  for (let round = 0; round < simulations; round++) {
    const truth = drawTruth(scenario.truth === "equal" ? "unlike" : "lifted", rates, random);
    const groups: number[][] = [];
    for (let g = 0; g < scenario.families; g++) {
      const first = drawDifference(truth, scenario.repeats, random);
      const all = sizes[scenario.sizes];
      const size = all[Math.floor(random() * all.length)] ?? 1;
      groups.push(Array.from({ length: size }, () => (random() < copies ? first : drawDifference(truth, scenario.repeats, random))));
    }
    count(total.families, familyDifference(familyMeans(groups)), truth);
    count(total.tasks, pairedDifference(groups.flat(), scenario.repeats === 1), truth);
  }
  const shares = ({ verdict, covered }: FamilyResult["families"]): FamilyResult["families"] => ({
    verdict: verdict / simulations,
    covered: covered / simulations,
  });
  return { families: shares(total.families), tasks: shares(total.tasks) };
}

/** B − A of a published task's mean score in so many trials of each arm. */
function drawDifference({ a, b }: Truth, repeats: number, random: () => number): number {
  const task = Math.floor(random() * a.length);
  let passed = 0;
  for (let k = 0; k < repeats; k++) passed += Number(random() < (b[task] ?? 0)) - Number(random() < (a[task] ?? 0));
  return passed / repeats;
}

function count(into: { verdict: number; covered: number }, { p, estimate }: PairedDifference, { difference }: Truth): void {
  const readings = [{ p, interval: estimate }];
  if (showsDifference(readings, 1) || showsDifference(readings, -1)) into.verdict++;
  if (estimate.low <= difference && difference <= estimate.high) into.covered++;
}

/** Percent of false verdicts that a cell may have. */
const mostFalse = 5.5;

/**
 * Each scenario from a seed of its own, so that one added changes no other. Of 64 cells at 5 % one is above the limit by chance: a cell that does is counted
 * again with four times as many comparisons, all of them new, and that is its result.
 */
export const runFamilies = (rates: OutcomeRates, simulations: number, scenarios = familyScenarios): FamilyRow[] =>
  scenarios.map((scenario) => {
    const seed = new TextEncoder().encode(JSON.stringify(scenario)).reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 1);
    const random = seededRandom(seed);
    const result = simulateFamilies(scenario, rates, simulations, random);
    const again = scenario.truth === "equal" && scenario.families >= fewest.families && 100 * result.families.verdict > mostFalse;
    return { scenario, result: again ? simulateFamilies(scenario, rates, 4 * simulations, random) : result };
  });

/** The promises hold from as many families on as a verdict takes. */
export function familyPromises(rows: readonly FamilyRow[]): Measured[] {
  const decided = rows.filter(({ scenario }) => scenario.families >= fewest.families);
  const equal = decided.filter(({ scenario }) => scenario.truth === "equal");
  const most = (of: readonly FamilyRow[], unit: keyof FamilyResult): number =>
    100 * Math.max(...of.map(({ result }) => result[unit].verdict));
  const least = (unit: keyof FamilyResult): number => 100 * Math.min(...decided.map(({ result }) => result[unit].covered));
  return [
    {
      what: "false verdict on families, the worst",
      value: most(equal, "families"),
      unit: "%",
      limit: { at: "most", value: mostFalse },
      note: `${equal.length} cells of 10,000 comparisons, one above the limit again with 40,000, from ${fewest.families} families on; tasks as the unit: up to ${most(equal, "tasks").toFixed(1)} %`,
    },
    {
      what: "interval of a difference covers on families, the worst",
      value: least("families"),
      unit: "%",
      limit: { at: "least", value: 94 },
      note: `${decided.length} cells; tasks as the unit: down to ${least("tasks").toFixed(1)} %`,
    },
  ];
}

/** One table for the false verdicts, one for the power, all numbers in percent. */
export function describeFamilies(rows: readonly FamilyRow[]): string {
  const percent = (share: number): string => (share * 100).toFixed(1);
  const table = (truth: FamilyScenario["truth"], verdict: string): string => {
    const head = ["families", "tasks in one", "ICC", "K", verdict, "covered", `tasks: ${verdict}`, "tasks: covered"];
    const cells = rows
      .filter(({ scenario }) => scenario.truth === truth)
      .map(({ scenario: { families, sizes: of, icc, repeats }, result }) => [
        String(families),
        of,
        String(icc),
        String(repeats),
        ...[result.families, result.tasks].flatMap((unit) => [percent(unit.verdict), percent(unit.covered)]),
      ]);
    return [head, head.map(() => "---:"), ...cells].map((line) => `| ${line.join(" | ")} |`).join("\n");
  };
  return `#### Families, two agents of equal mean\n\n${table("equal", "either")}\n\n#### Families, 15 points more\n\n${table("lifted", "better")}`;
}
