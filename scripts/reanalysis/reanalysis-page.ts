import { compare, type Comparison, type PairComparison } from "../../evals/compare/compare.ts";
import type { ImportedRuns } from "../../evals/imported/imported-runs.ts";
import { normalCdf } from "../../evals/statistics/distributions.ts";
import { percent } from "../../reports/text/format.ts";
import { points, probability, rate, signed } from "../../reports/content/comparison-lines.ts";

type Arm = Comparison["arms"][number];

/** The page, from the trials with those whose tests gave no result as failures, and without a score. */
export function reanalysisPage(failures: ImportedRuns, unscored: ImportedRuns): string {
  const [plain, careful] = [compare([], {}, [failures]), compare([], {}, [unscored])];
  const ranked = plain.arms.toSorted((a, b) => b.rate.value - a.rate.value);
  const pairs = upward(plain, ranked);
  const kept = upward(careful, ranked);
  const shown = pairs.filter(decides);
  const naive = pairs.filter(({ low, high }) => naiveP(low, high) < 0.05);
  const neighbours = pairs.filter(({ rank }) => rank.low === rank.high + 1);
  const changed = pairs.filter((pair, i) => decides(pair) && kept[i] && !decides(kept[i]));
  const families = compare([], { variants: true }, [failures]);
  const inFamilies = upward(families, ranked);
  const units = inFamilies[0]?.pair.readings[0];
  const otherwise = pairs.flatMap((one, i) => {
    const other = inFamilies[i]?.pair;
    return other && other.verdict.word !== one.pair.verdict.word
      ? [
          `${one.high.name} − ${one.low.name}: ${one.pair.verdict.word} (${measure(one.pair).join(", ")}) → ${other.verdict.word} (${measure(other).join(", ")})`,
        ]
      : [];
  });
  const seen = pairs.map(({ pair }) => pair.readings[0]?.couldHaveSeen ?? 0).toSorted((a, b) => a - b);
  return `# The public results of terminal-bench-core 0.1.1, read again

**Of ${pairs.length} pairs of ${ranked.length} public agents, ${shown.length} can be told apart; of ${neighbours.length} pairs of neighbours in the ranking, ${neighbours.filter(decides).length}.** The
best, ${ranked[0]?.name}, is better than ${shown.filter(({ rank }) => rank.high === 0).length} of the other ${ranked.length - 1}. Written by \`npx jiti scripts/reanalyse-terminal-bench.ts\`, from
${failures.trials} published trials: 80 tasks, five attempts each, of some agents fewer or more. An attempt that one agent has at a task and the other lacks is read like
a trial without a score: left out, as a failure, and against the claim.

| rank | agent | trials passed | mean over tasks [95 %] | pass@5 | pass^5 |
| ---: | --- | ---: | ---: | ---: | ---: |
${ranked.map((arm, i) => row([i + 1, arm.name, `${arm.passed}/${arm.trials}`, rate(arm.rate), atK(arm, "any"), atK(arm, "all")])).join("\n")}

## All pairs

Column minus row: what the agent above gains over the one at the left, in points, p by Holm over all ${pairs.length} pairs, intervals simultaneous. Bold where it is better.

| | ${ranked
    .slice(0, -1)
    .map((_, i) => `vs ${i + 1}`)
    .join(" | ")} |
| --- | ${ranked
    .slice(0, -1)
    .map(() => "---:")
    .join(" | ")} |
${ranked
  .slice(1)
  .map((arm, i) =>
    row([
      `${i + 2} ${arm.name}`,
      ...ranked.slice(0, -1).map((_, high) => cell(pairs.find(({ rank }) => rank.high === high && rank.low === i + 1))),
    ]),
  )
  .join("\n")}

The smallest difference that would have been found four times out of five lies between ${percent(seen[0] ?? 0)} and ${percent(seen.at(-1) ?? 0)}: 80 tasks are few.

## Neighbours in the ranking

| pair | verdict | new tasks, points [95 %] | p (Holm) | every trial a coin of its own, p |
| --- | --- | ---: | ---: | ---: |
${neighbours.map(({ pair, low, high }) => row([`${high.name} − ${low.name}`, pair.verdict.word, ...measure(pair), probability(naiveP(low, high))])).join("\n")}

## What a test over trials would have said

Taking ${failures.trials} trials for as many independent coins, and each pair by itself, finds ${naive.length} of ${pairs.length} differences; the task as the unit and Holm leave ${shown.length}.
Called different by the first and not by the second:

${listed(naive.filter((one) => !decides(one)).map(({ high, low }) => `${high.name} and ${low.name}`))}

## With variants of one task as one family

Names such as crack-7z-hash, crack-7z-hash.easy and crack-7z-hash.hard are read as one family (\`--variants\`): ${units?.tasks ?? 0} tasks are then ${units?.families ?? 0} families, which are the
unit. ${inFamilies.filter(decides).length} of ${pairs.length} pairs can be told apart, ${shown.length} by tasks. Verdicts that change:

${listed(otherwise)}

## What the missing verdicts of tests do

${unscored.unscored} trials have no result of their tests: the output could not be read, or took too long, or the agent was never installed. The public ranking counts them as failures, and
some will be the agents' own doing; nobody recorded which. Read as trials without a score, a verdict has to hold with them left out, as failures, and against the claim: ${kept.filter(decides).length} of ${pairs.length} pairs are then told apart. No longer shown:

${listed(changed.map(({ high, low }) => `${high.name} better than ${low.name}`))}

## What is not known

Whether names that look like variants are variants. The data has no digests, so tasks are matched by name; agents differ in model as well as in harness, so no difference here is the harness's alone; whether a time limit or a failure was the machinery's is
not told; who ran the agents chose when to publish, which no test corrects. The ranking's order itself is no result: only the pairs in bold are.
`;
}

interface RankedPair {
  readonly rank: { readonly high: number; readonly low: number };
  readonly high: Arm;
  readonly low: Arm;
  readonly pair: PairComparison;
}

/** Every pair, the higher ranked against the lower, in the order of ranks. */
function upward(compared: Comparison, ranked: readonly Arm[]): RankedPair[] {
  const rankOf = (name: string): number => ranked.findIndex((arm) => arm.name === name);
  return compared.pairs
    .map((pair): RankedPair => {
      const [a, b] = [rankOf(pair.a), rankOf(pair.b)];
      const rank = { high: Math.min(a, b), low: Math.max(a, b) };
      const armAt = (i: number): Arm => {
        const arm = compared.arms.find((one) => one.name === ranked[i]?.name);
        if (!arm) throw new Error("A pair names an arm that is not there.");
        return arm;
      };
      return { rank, high: armAt(rank.high), low: armAt(rank.low), pair: b < a ? pair : turnedPair(pair) };
    })
    .toSorted((x, y) => x.rank.high - y.rank.high || x.rank.low - y.rank.low);
}

/** B − A as A − B: signs and words. */
function turnedPair(pair: PairComparison): PairComparison {
  const words: Partial<Record<string, PairComparison["verdict"]["word"]>> = {
    better: "worse",
    worse: "better",
    "better on this suite only": "worse on this suite only",
    "worse on this suite only": "better on this suite only",
  };
  return {
    ...pair,
    verdict: { ...pair.verdict, word: words[pair.verdict.word] ?? pair.verdict.word },
    readings: pair.readings.map((one) => ({
      ...one,
      newTasks: { ...one.newTasks, value: -one.newTasks.value, low: -one.newTasks.high, high: -one.newTasks.low },
    })),
  };
}

const decides = ({ pair }: RankedPair): boolean => pair.verdict.word === "better" || pair.verdict.word === "worse";
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const atK = (arm: Arm, of: "any" | "all"): string => (arm.passAtK ? percent(arm.passAtK[of]) : "n/a");
const listed = (lines: readonly string[]): string => (lines.length > 0 ? lines.map((line) => `- ${line}`).join("\n") : "None.");

function measure({ readings: [main] }: PairComparison): [string, string] {
  return main ? [points(main.newTasks), probability(main.adjustedP)] : ["", ""];
}

function cell(ranked: RankedPair | undefined): string {
  const main = ranked?.pair.readings[0];
  if (!ranked || !main) return "";
  const gain = signed(main.newTasks.value);
  return decides(ranked) ? `**${gain}**` : gain;
}

/** Two-sided, by z over trials with a pooled rate: what is often done, and too sure. */
function naiveP(a: Arm, b: Arm): number {
  const [n, m] = [a.trials - a.unscored, b.trials - b.unscored];
  const pooled = (a.passed + b.passed) / (n + m);
  const z = (b.passed / m - a.passed / n) / Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  return 2 * (1 - normalCdf(Math.abs(z)));
}
