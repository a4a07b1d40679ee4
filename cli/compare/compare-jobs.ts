import { dirname, join } from "node:path";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import { compare } from "../../evals/compare/compare.ts";
import { gateOf, type Gate } from "../../evals/compare/pipeline-gate.ts";
import { countDecisions } from "../../evals/compare/ledger.ts";
import { withPartings } from "../../evals/compare/with-partings.ts";
import { isLangSmithPlace } from "../../evals/imported/read-langsmith.ts";
import { ConfigError } from "../../harness/errors.ts";
import { comparisonMarkdown } from "../../reports/markdown/comparison.ts";
import { describeComparison } from "../../reports/terminal/comparison/comparison.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { comparisonSources, type Sources } from "../../evals/compare/comparison-sources.ts";
import type { CompareFlags } from "./options.ts";

const exitCodes: Readonly<Record<Gate["answer"], number>> = { passed: 0, failed: 1, "not comparable": 3, underpowered: 5 };

/** Carries out `forge compare`; answers the exit code. */
export async function compareJobs(folders: readonly string[], o: CompareFlags): Promise<number> {
  if (o.json && o.markdown) throw new ConfigError("--json and --markdown: give one of them.");
  const { report: compared } = await comparedJobs(folders, o);
  const gate = gateOf(compared);
  const report: ComparisonReport = { ...compared, ...(o.gate ? { gate } : {}) };
  if (o.json) process.stdout.write(`${jsonLine(report)}\n`);
  else if (o.markdown) process.stdout.write(comparisonMarkdown(report));
  else process.stdout.write(`${describeComparison(report, { all: o.all, columns: process.stdout.columns })}\n`);
  if (o.gate) return exitCodes[gate.answer];
  if (compared.notComparable !== undefined) return 3;
  return compared.pairs.some((pair) => pair.verdict.word === "worse") ? 1 : 0;
}

/** The jobs that were named, with the baseline's first where it is one, and their comparison, counted in the ledger. */
export async function comparedJobs(
  folders: readonly string[],
  o: Pick<CompareFlags, "baseline" | "margin" | "format" | "commonTasks" | "variants">,
): Promise<{ sources: Sources; baselineJob: string | undefined; report: ComparisonReport }> {
  const { sources, baseline, baselineJob } = await comparisonSources(folders, { baseline: o.baseline, format: o.format });
  const { jobs, imported } = sources;
  const compared = await withPartings(
    compare(jobs, { baseline, baselineJob, margin: o.margin, commonTasks: o.commonTasks, variants: o.variants }, imported),
  );
  const decides = compared.pairs.some(({ verdict }) => verdict.word !== "withheld" && verdict.word !== "too few tasks");
  const ledger = decides ? await countDecisions(ledgerOf(sources), compared, Date.now()) : undefined;
  return { sources, baselineJob, report: { ...compared, ...(ledger ? { ledger } : {}) } };
}

/** One ledger for the jobs that lie side by side. */
const ledgerOf = ({ jobs, imported }: Sources): string => {
  const last = imported.at(-1)?.place ?? jobs.at(-1)?.folder ?? ".";
  return join(isLangSmithPlace(last) ? "." : dirname(last), "ledger.jsonl");
};
