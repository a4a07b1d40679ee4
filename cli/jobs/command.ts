import type { Command } from "commander";
import { loadAtOnce } from "../../harness/package/load-at-once.ts";
import { collect, collectVariables, dollarAmount, span, wholeNumber } from "../shared/option-values.ts";
import type { ResumeFlags, CleanFlags } from "./options.ts";

const help = `
JOB is a job's folder, or the beginning of its name in ./jobs.

Examples:
  forge jobs list                                   every job below ./jobs, the newest first
  forge jobs show 1a2b3c                            its table, its regrades, and each trial without a score with what decided that
  forge jobs resume 1a2b3c                          goes on where it stopped, without the command it was begun with
  forge jobs resume 1a2b3c --repeats 5              more repeats: only what is missing is run
  forge jobs resume 1a2b3c --config careful.yaml    one configuration more
  forge jobs clean --older-than 7d --dry-run        what could be removed of jobs nobody touched for a week`;

export function registerJobs(program: Command): void {
  const jobs = program.command("jobs").description("list, show, resume and clean the jobs of forge bench").addHelpText("after", help);
  jobs
    .command("list")
    .description("every job below a folder, the newest first")
    .argument("[folder]", "where the jobs lie", "jobs")
    .option("--json", "one JSON object a line")
    .action(async (folder: string, options: { json?: boolean }) => {
      const { listJobs } = await import("./list-jobs.ts");
      await listJobs(folder, options);
    });
  jobs
    .command("show")
    .description("a job's table, what it is made of, its regrades, and what its unscored trials met")
    .argument("<job>", "a job's folder, or the beginning of its name in ./jobs")
    .option("--json", "one JSON object")
    .action(async (job: string, options: { json?: boolean }) => {
      const { showJob } = await import("./show-job.ts");
      await showJob(job, options);
    });
  jobs
    .command("resume")
    .description("go on with a job; with more repeats, configurations or tasks, only what is missing is run")
    .argument("<job>", "a job's folder, or the beginning of its name in ./jobs")
    .option("--config <file|preset>", "one configuration more; repeat it for several", collect)
    .option("--repeats <k>", "trials of each task with each configuration, in all", wholeNumber)
    .option("--filter <glob>", "the tasks from now on; it must still fit those of the job")
    .option("--base-url <url>", "address of a compatible server, where it has moved")
    .option("--docker-host <address>", "another Docker daemon; repeat it for several", collect)
    .option("--jobs <n>", "trials at a time", wholeNumber)
    .option(
      "--max-cost <usd>",
      "start no trial beyond this cost, with what the job has cost so far (default: as last said for this job)",
      dollarAmount,
    )
    .option("--task-env <name>", "a variable of your environment that tasks may read; repeat it (default: none)", collectVariables)
    .option("--yes", "do not ask before paid work")
    .option("--trust", "trust the middleware files that the job's configurations name, as they are now")
    .option("--json", "NDJSON events on standard output, the result last")
    .action(async (job: string, options: ResumeFlags) => {
      loadAtOnce(import.meta.url, "./resume-job.js");
      const { resumeJob } = await import("./resume-job.ts");
      process.exitCode = await resumeJob(job, options);
    });
  jobs
    .command("clean")
    .description("remove what ended runners left: sandboxes, attempts that were broken off, drafts; never a result")
    .argument("[job...]", "folders of jobs (default: every job below ./jobs)")
    .option("--older-than <time>", "only jobs that nobody touched for so long: 12h, 7d", span)
    .option("--dry-run", "say what would be removed, and remove nothing")
    .option("--json", "one JSON object")
    .action(async (names: string[], options: CleanFlags) => {
      const { cleanJobs } = await import("./clean-jobs.ts");
      await cleanJobs(names, options);
    });
}
