import { jobOverview } from "../../evals/job/job-overview.ts";
import { trialsOf } from "../../evals/job/results/trials-of.ts";
import { regradesOf } from "../../evals/job/results/regrade-result.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { describeOverview } from "../../reports/terminal/job-list.ts";
import { findJob, jobWord } from "../../evals/job/find-jobs.ts";

/** Carries out `forge jobs show`. */
export async function showJob(name: string, o: { json?: boolean }): Promise<void> {
  const overview = await jobOverview(await findJob(name));
  const trials = await trialsOf(overview.folder);
  const regrades = await regradesOf(overview.folder);
  const unscored = trials.filter(({ passed }) => passed === null);
  if (o.json) process.stdout.write(`${jsonLine({ ...overview, regrades, unscored })}\n`);
  else process.stdout.write(`${describeOverview(overview, { trials, regrades, word: await jobWord(overview.folder) }, Date.now())}\n`);
}
