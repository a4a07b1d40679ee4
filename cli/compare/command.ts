import type { Command } from "commander";
import type { CompareFlags } from "./compare-jobs.ts";
import type { PlanFlags } from "./plan-comparison.ts";
import { pointsOption, wholeNumber } from "../shared/option-values.ts";

const help = `
JOB is a job's folder, or the beginning of its name in ./jobs; or results of another runner: a job of Harbor, a run of Terminal-Bench, a log of
Inspect (.eval or JSON), an experiment of LangSmith (langsmith:PROJECT, with LANGSMITH_API_KEY), or a CSV or JSONL table with task, score, and as far as
there are arm, model, repeat, tokens, cost and time.
Verdicts: better, worse, better on this suite only, equivalent (within --margin), no difference shown, too few tasks (under 15),
withheld (simulated, or a job that has not come to its end), not comparable.
Exit code 1: a significant regression. 3: not comparable. With --gate also 5, it cannot tell: too few tasks, nothing to compare, a job that is not
finished or invalid, a loss that shows only as missing trials are read, or one of more than --margin that is not ruled out.

Examples:
  forge compare jobs/1a2b3c                             all configurations of one job
  forge compare jobs/before jobs/after --json
  forge compare jobs/1a2b3c --baseline bare             all others with one
  forge compare harbor-jobs/a harbor-jobs/b             runs you already have: the same verdicts, and what they do not say
  forge compare langsmith:before langsmith:after#correctness    two experiments on one dataset, by that feedback
  forge compare results.csv --baseline agent-a          task,arm,repeat,score: all other agents with one
  forge compare jobs/now --baseline jobs/main --gate    for a pipeline: each configuration with its namesake in another job
  forge compare jobs/now --baseline jobs/main --gate --margin 5 --markdown >> "$GITHUB_STEP_SUMMARY"`;

const planHelp = `
The differences' variance and the cost come from the named past jobs; without one the variance is a guess from published outcomes.

Examples:
  forge compare plan --tasks 40 --repeats 3
  forge compare plan results.csv --tasks 80 --repeats 3
  forge compare plan jobs/1a2b3c --tasks 80 --repeats 2 --configurations 4 --difference 10`;

export function registerCompare(program: Command): void {
  const command = program
    .command("compare")
    .description("say with statistics whether one configuration is better than another, on which tasks and at what cost")
    .argument("<job...>", "folders of jobs, or the beginnings of their names in ./jobs; or results of other runners")
    .option("--baseline <configuration|job>", "compare all others with this one (default: all pairs)")
    .option("--margin <points>", "two arms closer than this are equivalent; stated before the results are seen", pointsOption)
    .option(
      "--format <format>",
      "what the named places hold, where it cannot be told: forge, harbor, terminal-bench, inspect, csv, jsonl, langsmith",
    )
    .option(
      "--common-tasks",
      "of other runners' results: tasks that only one has were never meant for the other; else they count as missing",
    )
    .option("--gate", "exit codes for a pipeline: 0 passed, 1 worse, 3 not comparable, 5 cannot tell")
    .option("--json", "one JSON object")
    .option("--markdown", "Markdown for a pull request")
    .addHelpText("after", help)
    .action(async (jobs: string[], options: CompareFlags) => {
      const { compareJobs } = await import("./compare-jobs.ts");
      process.exitCode = await compareJobs(jobs, options);
    });
  command
    .command("plan")
    .description("say before spending what difference n tasks × k repeats can see, what they cost, and what more of either would buy")
    .argument("[job...]", "past jobs with like configurations, or results of other runners")
    .requiredOption("--tasks <n>", "tasks of the suite", wholeNumber)
    .option("--repeats <k>", "trials of each task and configuration", wholeNumber, 1)
    .option("--configurations <n>", "configurations, all compared with the first", wholeNumber, 2)
    .option("--difference <points>", "how many tasks a difference of so many points takes", pointsOption)
    .option("--json", "one JSON object")
    .addHelpText("after", planHelp)
    .action(async (jobs: string[], _: unknown, own: Command) => {
      const { planComparison } = await import("./plan-comparison.ts");
      await planComparison(jobs, own.optsWithGlobals<PlanFlags>());
    });
}
