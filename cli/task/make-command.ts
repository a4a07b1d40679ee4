import type { Command } from "commander";
import { fromGitOptions, fromRunOptions, initOptions, type FromGitFlags, type FromRunFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

/** Tasks that a person writes, or that are made of work that was done. */
export function registerTaskMaking(task: Command): void {
  const init = task
    .command("init")
    .description("write a small task that passes the gate, to be changed")
    .argument("<name>", "the new folder; its last part is the task's name")
    .action(async (folder: string, options: { json?: boolean }) => {
      const { initTask } = await import("./init-task.ts");
      await initTask(folder, options);
    });
  withHelp(withOptions(init, initOptions), { examples: [["forge task init my-tasks/word-count"]] });
  const fromGit = task
    .command("from-git")
    .description("make a task of a commit")
    .argument("<repo>", "a folder, or an address")
    .argument("<commit>", "its hash, or a branch or tag")
    .action(async (repository: string, commit: string, options: FromGitFlags) => {
      const { taskFromGit } = await import("./task-from-git.ts");
      await taskFromGit(repository, commit, options);
    });
  withOptions(fromGit, fromGitOptions);
  withHelp(fromGit, {
    details:
      "The agent finds the state before the commit; the commit's message asks for the change; the tests that it changes verify, in a copy of the work, with all other tests put back; its other changes are the solution. The task is tried before it is kept: its solution must pass, doing nothing must fail. A commit's message was not written to be a task: read it, and replace it with --instruction where it lacks something.",
    examples: [
      ["forge task from-git . HEAD --out tasks/last-change"],
      ["forge task from-git ../library v2.1.0 --level hard"],
      ['forge task from-git . HEAD --tests "spec/*" --check "make test FILES={tests}"'],
    ],
    exitCodes:
      "0 · 1 the task fails its own gate, and nothing is written · 2 usage, or a commit of which no task can be made · 3 no git, network or sandbox, or nothing in it that runs the check",
  });
  const fromRun = task
    .command("from-run")
    .description("make a task of an everyday run")
    .argument("<run>", "a folder of .forge/runs")
    .action(async (run: string, options: FromRunFlags) => {
      const { taskFromRun } = await import("./task-from-run.ts");
      await taskFromRun(run, options);
    });
  withOptions(fromRun, fromRunOptions);
  withHelp(fromRun, {
    details:
      "The agent finds the files as they were before the run's first change, and your request. The check is a command for bash, in the working directory; the instruction names it. Before it the tests that the agent found are put back as they were. Where the folder is still as the run left it, and the check passes, what the run did is the solution; else name a patch with --solution, or write one later.",
    examples: [
      ['forge task from-run .forge/runs/RUN --check "python3 -m pytest -q tests"'],
      ['forge task from-run .forge/runs/RUN --check "make test" --solution fix.patch'],
    ],
    exitCodes:
      "0 · 1 the task fails its own gate, and nothing is written · 2 usage · 3 no checkpoint, git or sandbox, or nothing in it that runs the check",
  });
}
