import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { jobReport, type JobReport } from "../../evals/report/job-report.ts";
import { CannotError, ConfigError, messageOf } from "../../harness/errors.ts";
import { jobPage } from "../../reports/html/job-page.ts";
import { jobReportMarkdown } from "../../reports/markdown/job-report.ts";
import { headline } from "../../reports/content/verdict-lines.ts";
import { describeReport } from "../../reports/terminal/job-report.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { comparedJobs } from "../compare/compare-jobs.ts";
import type { ReportFlags } from "./options.ts";

/** Carries out `forge report`. A report answers no question by its exit code: that is what `forge compare` is for. */
export async function reportJobs(folders: readonly string[], o: ReportFlags): Promise<void> {
  if (o.json && o.markdown) throw new ConfigError("--json and --markdown: give one of them.");
  const { sources, baselineJob, report: comparison } = await comparedJobs(folders, o);
  const report = await jobReport(sources.jobs, comparison, { imported: sources.imported, baselineJob });
  if (o.html !== undefined) await writePage(o.html, report);
  if (o.json) process.stdout.write(`${jsonLine(report)}\n`);
  else if (o.markdown) process.stdout.write(jobReportMarkdown(report));
  else if (o.html === undefined) process.stdout.write(`${describeReport(report)}\n`);
  else process.stdout.write(`${oneLine(headline(comparison))}\n${oneLine(o.html)}\n`);
}

/** The report as a file of HTML, whose links lead from where it is to the runs. */
export async function writePage(file: string, report: JobReport): Promise<void> {
  const folder = dirname(resolve(file));
  const address = (run: string): string => relative(folder, resolve(run)).split(sep).join("/");
  try {
    await writeFile(file, jobPage(report, address));
  } catch (error) {
    throw new CannotError(`--html: ${file} cannot be written (${messageOf(error)}); name a file in a folder that is there.`);
  }
}
