import type { Command } from "commander";
import { listOptions, showOptions, statsOptions, type StatsFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

/** What tasks are, and how their trials went. */
export function registerTaskLooking(task: Command): void {
  const show = task
    .command("show")
    .description("one task: its instruction, checks and limits")
    .argument("<task>", "its folder, or a task of a suite of Forge's such as builtin/csv-totals")
    .action(async (named: string, options: { json?: boolean }) => {
      const { showTask } = await import("./show-task.ts");
      await showTask(named, options);
    });
  withHelp(withOptions(show, showOptions), {
    examples: [["forge task show builtin/csv-totals"], ["forge task show my-tasks/word-count --json"]],
  });
  const list = task
    .command("list")
    .description("the tasks of a suite")
    .argument("[suite]", "a folder of tasks, a repository at a commit, a manifest, builtin or demo (default: builtin and demo)")
    .action(async (suite: string | undefined, options: { json?: boolean }) => {
      const { listTasks } = await import("./list-tasks.ts");
      await listTasks(suite, options);
    });
  withHelp(withOptions(list, listOptions), {
    examples: [["forge task list", "the suites that come with Forge"], ["forge task list my-tasks --json"]],
  });
  const stats = task
    .command("stats")
    .description("how past trials of tasks went, and how well each task discriminates between configurations")
    .argument("<job...>", "folders of jobs, or the beginnings of their names in ./jobs")
    .action(async (jobs: string[], options: StatsFlags) => {
      const { showTaskStats } = await import("./show-task-stats.ts");
      await showTaskStats(jobs, options);
    });
  withOptions(stats, statsOptions);
  withHelp(stats, {
    details:
      "rate: mean of the configurations' rates. information: 0 where a task is always or never passed, 1 at 50 %. spread: the best rate less the worst. discrimination: correlation of the configurations' rates on the task with their rates on the other tasks, from three configurations on; below 0 weak ones do better on it. A task discriminates where rates differ by more than chance (p below 0.05); three trials a configuration are too few for that.",
    examples: [["forge task stats jobs/1a2b3c"], ["forge task stats 1a2b3c 4d5e6f --by-arm"]],
  });
}
