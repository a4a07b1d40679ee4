import { dirname, join, relative, resolve } from "node:path";
import type { ComparisonReport } from "../evals/compare/comparison-report.ts";
import { compare } from "../evals/compare/compare.ts";
import { gateOf, type Gate } from "../evals/compare/gate.ts";
import { countDecisions } from "../evals/compare/ledger.ts";
import { loadJob, type FinishedJob } from "../evals/compare/load-job.ts";
import { withPartings } from "../evals/compare/with-partings.ts";
import { ConfigError } from "../harness/errors.ts";
import { comparisonMarkdown } from "../reports/markdown/comparison.ts";
import { describeComparison } from "../reports/terminal/comparison.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { findJob } from "./jobs/find-jobs.ts";

export interface CompareFlags {
  readonly baseline?: string;
  /** A share. */
  readonly margin?: number;
  readonly gate?: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

const exitCodes: Readonly<Record<Gate["answer"], number>> = { passed: 0, failed: 1, "not comparable": 3, underpowered: 5 };

/** Carries out `forge compare`; answers the exit code. */
export async function compareJobs(folders: readonly string[], o: CompareFlags): Promise<number> {
  if (o.json && o.markdown) throw new ConfigError("--json and --markdown: give one of them.");
  const { report: compared } = await comparedJobs(folders, o);
  const gate = gateOf(compared);
  const report: ComparisonReport = { ...compared, ...(o.gate ? { gate } : {}) };
  if (o.json) process.stdout.write(`${jsonLine(report)}\n`);
  else if (o.markdown) process.stdout.write(comparisonMarkdown(report));
  else process.stdout.write(`${describeComparison(report)}\n`);
  if (o.gate) return exitCodes[gate.answer];
  if (compared.notComparable !== undefined) return 3;
  return compared.pairs.some((pair) => pair.verdict.word === "worse") ? 1 : 0;
}

/** The jobs that were named, with the baseline's first where it is one, and their comparison, counted in the ledger. */
export async function comparedJobs(
  folders: readonly string[],
  o: Pick<CompareFlags, "baseline" | "margin">,
): Promise<{ jobs: readonly FinishedJob[]; baselineJob: string | undefined; report: ComparisonReport }> {
  const named = await Promise.all(folders.map(loadNamedJob));
  const { jobs, baseline, baselineJob } = await withBaseline(named, o.baseline);
  const compared = await withPartings(compare(jobs, { baseline, baselineJob, margin: o.margin }));
  const decides = compared.pairs.some(({ verdict }) => verdict.word !== "withheld" && verdict.word !== "too few tasks");
  const ledger = decides ? await countDecisions(ledgerOf(jobs), compared, Date.now()) : undefined;
  return { jobs, baselineJob, report: { ...compared, ...(ledger ? { ledger } : {}) } };
}

/** A job by its folder or the beginning of its name in ./jobs. */
export const loadNamedJob = async (name: string): Promise<FinishedJob> => loadJob(await folderOf(name));

/** A path stays as it was written; a name from `forge jobs list` becomes one. */
async function folderOf(name: string): Promise<string> {
  const found = await findJob(name).catch(() => undefined);
  if (found === undefined || found === resolve(name)) return name; // loadJob says what is wrong with it
  return relative(process.cwd(), found) || ".";
}

/** `--baseline` names a configuration of the jobs, or else a job, which then joins them in first place. */
async function withBaseline(
  jobs: readonly FinishedJob[],
  name: string | undefined,
): Promise<{ jobs: readonly FinishedJob[]; baseline?: string; baselineJob?: string }> {
  if (name === undefined) return { jobs };
  const isConfiguration = jobs.some(({ lock }) => Object.hasOwn(lock.configurations, name));
  const folder = isConfiguration ? undefined : await findJob(name).catch(() => undefined);
  if (folder === undefined) return { jobs, baseline: name }; // or a name as the table shows it; else the sentence of `baselineOf`
  const known = jobs.find((job) => resolve(job.folder) === folder);
  const job = known ?? (await loadNamedJob(name));
  const others = jobs.filter((one) => one !== known);
  if (others.length === 0) throw new ConfigError(`--baseline: ${name} is the only job; give another one to compare with it.`);
  return { jobs: [job, ...others], baselineJob: job.folder };
}

/** One ledger for the jobs that lie side by side. */
const ledgerOf = (jobs: readonly FinishedJob[]): string => join(dirname(jobs.at(-1)?.folder ?? "."), "ledger.jsonl");
