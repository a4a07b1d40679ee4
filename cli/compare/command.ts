import type { Command } from "commander";
import { compareOptions, planOptions, type CompareFlags, type PlanFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerCompare(program: Command): void {
  const compare = program
    .command("compare")
    .summary("show which configuration is better")
    .description("Show with statistics whether one configuration is better than another, on which tasks and at what cost.")
    .argument("<job...>", "jobs: names, beginnings of ids, or folders; or results of other runners")
    .action(async (jobs: string[], options: CompareFlags) => {
      const { compareJobs } = await import("./compare-jobs.ts");
      process.exitCode = await compareJobs(jobs, options);
    });
  withOptions(compare, compareOptions);
  withHelp(compare, {
    details:
      "Results of another runner are a job of Harbor, a run of Terminal-Bench, a log of Inspect (.eval or JSON), an experiment of LangSmith (langsmith:PROJECT, with LANGSMITH_API_KEY), or a CSV or JSONL table with task, score, and optionally arm, model, repeat, tokens, cost and time. What each verdict means: docs/compare.md.",
    examples: [
      ["forge compare jobs/1a2b3c", "all configurations of one job"],
      ["forge compare harbor-jobs/a harbor-jobs/b", "runs you already have"],
      ["forge compare jobs/now --baseline jobs/main --gate", "for a pipeline"],
    ],
    exitCodes:
      "0 no significant regression · 1 a significant regression, with --gate also one on this suite only · 3 not comparable · with --gate also 5: too few tasks, nothing to compare, an unfinished or invalid job, or a loss of more than --margin that is not ruled out",
  });
  const plan = compare
    .command("plan")
    .description("show before you pay what difference n tasks × k repeats can show, what they cost, and what more of either would buy")
    .argument("[job...]", "past jobs with similar configurations, or results of other runners")
    .action(async (jobs: string[], options: PlanFlags) => {
      const { planComparison } = await import("./plan-comparison.ts");
      await planComparison(jobs, options);
    });
  withOptions(plan, planOptions);
  withHelp(plan, {
    details:
      "The variance of the differences and the cost come from the past jobs; without one the variance is a guess from published outcomes.",
    examples: [
      ["forge compare plan --tasks 40 --repeats 3"],
      ["forge compare plan results.csv --tasks 80 --repeats 3"],
      ["forge compare plan jobs/1a2b3c --tasks 80 --repeats 2 --difference 10"],
    ],
  });
}
