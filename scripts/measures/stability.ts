import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analyze } from "../../analyzer/analysis/analyze.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { systemClock } from "../../harness/system-ports.ts";

/**
 * Whether issues are the same in other repeats: `npx jiti scripts/measures/stability.ts JOB`. JOB: a job's folder. Rules and contrast analyze each repeat and,
 * apart from it, all others; the adjusted Rand index (Hubert and Arabie 1985) is taken over the trials, task × configuration, that failed in both, by the issue
 * that explains the first failed run of each. A trial that no issue explains is alone.
 */
const [job = ""] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "forge-stability-"));
const trials = join(job, "trials");
const cells = readdirSync(trials).flatMap((task) => readdirSync(join(trials, task)).map((configuration) => join(task, configuration)));
const repeats = [...new Set(cells.flatMap((cell) => readdirSync(join(trials, cell))))].toSorted();

process.stdout.write("| repeats | failed in each | issues in each | failed in both | ARI |\n| --- | --- | --- | --- | --- |\n");
for (const repeat of repeats) {
  const halves = [[repeat], repeats.filter((other) => other !== repeat)];
  const [one, two] = [await issuesIn(halves[0] ?? []), await issuesIn(halves[1] ?? [])];
  const both = [...one.labels.keys()].filter((cell) => two.labels.has(cell));
  const pairs = both.map((cell): [string, string] => [one.labels.get(cell) ?? "", two.labels.get(cell) ?? ""]);
  const [failed, issues] = [[one, two].map(({ labels }) => labels.size), [one, two].map((half) => half.issues)];
  process.stdout.write(
    `| ${halves.map((half) => half.join("+")).join(" and ")} | ${failed.join(", ")} | ${issues.join(", ")} | ${both.length} | ${adjustedRand(pairs).toFixed(2)} |\n`,
  );
}
rmSync(work, { recursive: true });

/** Of each trial that failed the issue of its first failed run. */
async function issuesIn(half: readonly string[]): Promise<{ readonly labels: ReadonlyMap<string, string>; readonly issues: number }> {
  const sources = cells.flatMap((cell) => half.map((repeat) => join(trials, cell, repeat)));
  const place = join(work, half.join("-"));
  const { analysis } = await analyze(
    { sources, analyses: join(place, "analyses"), store: join(place, "issues") },
    { clock: systemClock, signal: new AbortController().signal, presets: configRegistry.presets },
  );
  const labels = new Map<string, string>();
  const firsts = [...analysis.findings.filter(({ rank }) => rank === 1), ...analysis.unclassified.map((run) => ({ run, kind: "" }))];
  for (const { run, kind } of firsts.toSorted((a, b) => (a.run < b.run ? -1 : 1))) {
    const cell = cells.find((one) => run.includes(`${one}/`)) ?? run;
    const issue = analysis.issues.find((one) => one.kind === kind && one.runs.includes(run));
    if (!labels.has(cell)) labels.set(cell, issue?.title ?? `alone: ${cell}`);
  }
  return { labels, issues: analysis.issues.length };
}

function adjustedRand(pairs: readonly (readonly [string, string])[]): number {
  const choose = (n: number): number => (n * (n - 1)) / 2;
  const sum = (labels: readonly string[]): number => {
    const counts = new Map<string, number>();
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
    return [...counts.values()].reduce((total, n) => total + choose(n), 0);
  };
  const together = sum(pairs.map((pair) => JSON.stringify(pair)));
  const [one, two] = [sum(pairs.map(([a]) => a)), sum(pairs.map(([, b]) => b))];
  const expected = (one * two) / choose(pairs.length);
  const most = (one + two) / 2;
  return most === expected ? 1 : (together - expected) / (most - expected);
}
