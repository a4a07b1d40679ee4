import { messageOf } from "../../harness/errors.ts";
import { jobOverview, type JobOverview } from "../../evals/job/job-overview.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { jobsTable } from "../../reports/terminal/job-list.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { jobsBelow, jobWords } from "../../evals/job/find-jobs.ts";

/** Carries out `forge jobs list`. A job that cannot be read is told on standard error, and the others are listed. */
export async function listJobs(folder: string, o: { json?: boolean }): Promise<void> {
  const jobs: JobOverview[] = [];
  for (const path of await jobsBelow(folder))
    try {
      jobs.push(await jobOverview(path));
    } catch (error) {
      process.stderr.write(`${oneLine(messageOf(error))}\n`);
    }
  jobs.sort((a, b) => b.touchedAt - a.touchedAt);
  const words = await jobWords(jobs.map((job) => job.folder));
  if (o.json) for (const job of jobs) process.stdout.write(`${jsonLine({ ...job, word: words.get(job.folder) })}\n`);
  else process.stdout.write(jobs.length === 0 ? `No job in ${oneLine(folder)}.\n` : `${jobsTable(jobs, words, Date.now())}\n`);
}
