import type { Command } from "commander";
import { loadAtOnce } from "../../harness/package/load-at-once.ts";
import { cleanOptions, listOptions, resumeOptions, showOptions, watchOptions, type CleanFlags, type ResumeFlags } from "./options.ts";
import { jobPlace } from "../shared/job-places.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerJobs(program: Command): void {
  const jobs = program
    .command("jobs")
    .summary("list, watch, resume and clean jobs")
    .description("List, show, watch, resume and clean the jobs of forge bench.");
  withHelp(jobs, {
    examples: [
      ["forge jobs list", "every job below ./jobs, the newest first"],
      ["forge jobs show 1a2b3c", "its table, and why trials have no score"],
      ["forge jobs resume 1a2b3c --repeats 5", "runs only what is missing"],
    ],
  });
  const list = jobs
    .command("list")
    .description("every job below a folder, the newest first")
    .argument("[folder]", "where the jobs are", "jobs")
    .action(async (folder: string, options: { json?: boolean }) => {
      const { listJobs } = await import("./list-jobs.ts");
      await listJobs(folder, options);
    });
  withHelp(withOptions(list, listOptions), { examples: [["forge jobs list"], ["forge jobs list results --json"]] });
  const show = jobs
    .command("show")
    .description("a job's table, configurations, regrades, and why trials have no score")
    .argument("<job>", jobPlace)
    .action(async (job: string, options: { json?: boolean }) => {
      const { showJob } = await import("./show-job.ts");
      await showJob(job, options);
    });
  withHelp(withOptions(show, showOptions), { examples: [["forge jobs show 1a2b3c"], ["forge jobs show jobs/try --json"]] });
  const watch = jobs
    .command("watch")
    .description("show a job that another forge works on; Ctrl-C ends the watching, not the job")
    .argument("<job>", jobPlace)
    .action(async (job: string, options: { json?: boolean }) => {
      const { watchJobs } = await import("./watch-job.ts");
      process.exitCode = await watchJobs(job, { json: options.json === true });
    });
  withHelp(withOptions(watch, watchOptions), {
    examples: [["forge jobs watch 1a2b3c"]],
    exitCodes: "0 the job has ended · 1 its runner has ended before it · 130 interrupted",
  });
  const resume = jobs
    .command("resume")
    .description("continue a job; with more repeats, configurations or tasks, only what is missing is run")
    .argument("<job>", jobPlace)
    .action(async (job: string, options: ResumeFlags) => {
      loadAtOnce(import.meta.url, "./resume-job.js");
      const { resumeJob } = await import("./resume-job.ts");
      process.exitCode = await resumeJob(job, options);
    });
  withHelp(withOptions(resume, resumeOptions), {
    examples: [
      ["forge jobs resume 1a2b3c", "continues where it stopped"],
      ["forge jobs resume 1a2b3c --repeats 5", "more repeats: only what is missing is run"],
      ["forge jobs resume 1a2b3c --config careful.yaml", "one configuration more"],
    ],
  });
  const clean = jobs
    .command("clean")
    .description("remove what ended runners left: sandboxes, attempts that were broken off, drafts; never a result")
    .argument("[job...]", "jobs (default: every job below ./jobs)")
    .action(async (names: string[], options: CleanFlags) => {
      const { cleanJobs } = await import("./clean-jobs.ts");
      await cleanJobs(names, options);
    });
  withHelp(withOptions(clean, cleanOptions), {
    examples: [["forge jobs clean --older-than 7d --dry-run"], ["forge jobs clean 1a2b3c"]],
  });
}
