import { compare } from "../evals/compare/compare.ts";
import { loadJob } from "../evals/compare/load-job.ts";
import { describeComparison } from "../reports/terminal/comparison.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";

/** Carries out `forge compare`; answers the exit code. */
export async function compareJobs(folders: readonly string[], o: { baseline?: string; json?: boolean }): Promise<number> {
  const comparison = compare(await Promise.all(folders.map(loadJob)), { baseline: o.baseline });
  process.stdout.write(o.json ? `${jsonLine(comparison)}\n` : `${describeComparison(comparison)}\n`);
  if (comparison.notComparable !== undefined) return 3;
  return comparison.pairs.some((pair) => pair.verdict.word === "worse") ? 1 : 0;
}
