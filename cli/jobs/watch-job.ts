import { watchJob } from "../../evals/bench/watch/watch-job.ts";
import { createBenchProgress } from "../../reports/terminal/bench-progress.ts";
import { jobOverview } from "../../evals/job/job-overview.ts";
import { trialsOf } from "../../evals/job/results/trials-of.ts";
import { describeJob } from "../../reports/terminal/configuration-table.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { findJob, jobWord } from "../../evals/job/find-jobs.ts";
import { interruptible } from "../shared/interruptible.ts";
import { systemClock } from "../../harness/system-ports.ts";

/** Carries out `forge jobs watch JOB`; answers the exit code. `job`: a job's folder, or the beginning of its name in `jobs`. Ctrl-C ends the watching, not the job. */
export async function watchJobs(job: string, o: { readonly json: boolean }): Promise<number> {
  const folder = await findJob(job);
  const progress = o.json
    ? { add: (event: object): void => void process.stdout.write(`${jsonLine(event)}\n`), end: (): void => undefined }
    : createBenchProgress(process.stderr, { now: systemClock.now, env: process.env });
  try {
    const result = await interruptible(({ stop }) => watchJob(folder, { onEvent: progress.add, clock: systemClock, signal: stop }));
    progress.end();
    if (!result) {
      process.stderr.write(
        `The process that ran this job has ended before it. ${nextSteps([["Resume", `jobs resume ${oneLine(await jobWord(folder))}`]])}\n`,
      );
      return 1;
    }
    if (o.json) return 0;
    const [{ workedMs }, trials] = [await jobOverview(folder), await trialsOf(folder)];
    process.stdout.write(`${describeJob(result, { word: oneLine(await jobWord(folder)), ms: workedMs, trials })}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (error instanceof Error && error.message === "interrupted") return 130;
    throw error;
  }
}
