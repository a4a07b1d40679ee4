import type { Command } from "commander";
import { collect, wholeNumber } from "../shared/option-values.ts";
import type { FromGitFlags } from "./task-from-git.ts";
import type { FromRunFlags } from "./task-from-run.ts";

const initHelp = `
The folder holds a small task that passes the gate as it is: something to change rather than something to fill in.

Examples:
  forge task init my-tasks/word-count
  forge task init my-tasks/word-count && forge task check my-tasks/word-count --full`;

const gitHelp = `
The agent finds the state before the commit; the commit's message asks for the change; the tests that it changes verify, in a copy of the work, with all
other tests put back; its other changes are the solution. The task is tried before it is kept: its solution must pass, doing nothing must fail.
Tests are told by their names, or by --tests; they are run with pytest or node --test, or by --check. A commit's message was not written to be a task:
read it, and replace it with --instruction where it does not say what is wanted.

Examples:
  forge task from-git . HEAD --out tasks/last-change
  forge task from-git ../library v2.1.0 --level hard
  forge task from-git https://github.com/org/project 1f2e3d4c --setup "pip install -e ." --sandbox docker
  forge task from-git . 1f2e3d4c --tests "spec/*" --check "make test FILES={tests}" --instruction ask.md

Exit code: 0 · 1 the task fails its own gate, and nothing is written · 2 usage, or a commit of which no task can be made · 3 no git, network
or sandbox, or nothing in it that runs the check`;

const runHelp = `
RUN is a folder of .forge/runs: the agent finds the files as they were before the run's first change, and is asked what you asked. The check is a command
for bash, in the working directory, that ends with 0 when the request is met; the instruction names it. Before it the tests that the agent found are put
back as they were; they are told by their names, or by --tests. Where the folder is still as the run left it, and the check is content with that, what the
run did is the solution; else name a patch with --solution, or write one later.

Examples:
  forge task from-run .forge/runs/20260105T101500-4711 --check "python3 -m pytest -q tests"
  forge task from-run .forge/runs/20260105T101500-4711 --check "make test" --solution mended.patch --out tasks/parser

Exit code: 0 · 1 the task fails its own gate, and nothing is written · 2 usage · 3 no checkpoint, git or sandbox, or nothing in it that runs the check`;

const listHelp = `
Examples:
  forge task list                      the suites that come with Forge
  forge task list my-tasks --json`;

const showHelp = `
Examples:
  forge task show builtin/csv-totals
  forge task show my-tasks/word-count --json`;

const statsHelp = `
rate: mean of the arms' rates. information: 0 where a task is always or never passed, 1 at 50 %. spread: the best arm's rate less the worst's.
discrimination: correlation of the arms' rates on the task with their rates on the other tasks, from three arms on; below 0 weak arms do better on it.
A task tells arms apart where they differ by more than chance does (p below 0.05); three trials an arm are too few for that.

Examples:
  forge task stats jobs/1a2b3c
  forge task stats 1a2b3c 4d5e6f --by-arm
  forge task stats jobs/1a2b3c --json`;

export function registerTaskTools(task: Command): void {
  task
    .command("init")
    .description("write a small task that passes the gate, to be changed")
    .argument("<name>", "the new folder; its last part is the task's name")
    .option("--json", "one JSON object")
    .addHelpText("after", initHelp)
    .action(async (folder: string, options: { json?: boolean }) => {
      const { initTask } = await import("./init-task.ts");
      await initTask(folder, options);
    });
  drafted(task.command("from-git").description("make a task of a commit"), gitHelp)
    .argument("<repo>", "a folder, or an address")
    .argument("<commit>", "its hash, or a branch or tag")
    .option("--tests <globs>", "which changed files are tests, commas between (default: by their names)")
    .option("--check <cmd>", "how the tests are run; {tests} is replaced by their names")
    .option("--instruction <file>", "what the agent is asked, instead of the commit's message")
    .action(async (repository: string, commit: string, options: FromGitFlags) => {
      const { taskFromGit } = await import("./task-from-git.ts");
      await taskFromGit(repository, commit, options);
    });
  drafted(task.command("from-run").description("make a task of an everyday run"), runHelp)
    .argument("<run>", "a folder of .forge/runs")
    .requiredOption("--check <cmd>", "ends with 0 when the request is met")
    .option("--tests <globs>", 'which files are tests, put back before the check, commas between, or "" for none (default: by their names)')
    .option("--solution <patch>", "a patch that meets the request (default: what the run changed)")
    .action(async (run: string, options: FromRunFlags) => {
      const { taskFromRun } = await import("./task-from-run.ts");
      await taskFromRun(run, options);
    });
  task
    .command("show")
    .description("one task: what is asked, checked and allowed")
    .argument("<task>", "its folder, or a task of a suite of Forge's such as builtin/csv-totals")
    .option("--json", "one JSON object")
    .addHelpText("after", showHelp)
    .action(async (named: string, options: { json?: boolean }) => {
      const { showTask } = await import("./show-task.ts");
      await showTask(named, options);
    });
  task
    .command("list")
    .description("the tasks of a suite")
    .argument("[suite]", "a folder of tasks, a repository at a commit, a manifest, builtin or demo (default: builtin and demo)")
    .option("--json", "one JSON array")
    .addHelpText("after", listHelp)
    .action(async (suite: string | undefined, options: { json?: boolean }) => {
      const { listTasks } = await import("./list-tasks.ts");
      await listTasks(suite, options);
    });
  task
    .command("stats")
    .description("how past trials of tasks went, and how much each task tells arms apart")
    .argument("<job...>", "folders of jobs, or the beginnings of their names in ./jobs")
    .option("--by-arm", "a line for each configuration too")
    .option("--json", "one JSON array")
    .addHelpText("after", statsHelp)
    .action(async (jobs: string[], options: { byArm?: boolean; json?: boolean }) => {
      const { showTaskStats } = await import("./show-task-stats.ts");
      await showTaskStats(jobs, options);
    });
}

/** The options of a task that is drafted and tried. */
function drafted(command: Command, help: string): Command {
  return command
    .option("--out <dir>", "a folder that does not exist yet; its last part is the task's name")
    .option("--family <name>", "its kind, by which results are given")
    .option("--split <split>", "train, validation or test (default: train)")
    .option("--level <level>", "easy, medium or hard (default: medium)")
    .option("--image <image>", "what the image starts from; the task then needs Docker")
    .option("--setup <cmd>", "a RUN of the image, after the files are in place; repeat it for several", collect)
    .option("--timeout <s>", "seconds that the check may take (default: 300)", wholeNumber)
    .option("--sandbox <kind>", "where it is tried: docker or bubblewrap (default: the first that works)")
    .option("--untried", "keep the task without trying it")
    .option("--json", "one JSON object")
    .addHelpText("after", help);
}
