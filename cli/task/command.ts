import type { Command } from "commander";
import { wholeNumber } from "../shared/option-values.ts";
import type { CheckFlags } from "./check-tasks.ts";
import { registerTaskGenerate } from "./generate-command.ts";
import { registerTaskTools } from "./make-command.ts";

const help = `
A task passes when its solution passes, doing nothing and every wrong solution fails, and neither tests nor solution lie in its image.
With --full it is held to the whole gate: the solution passes ten times, also with the network off, under a clock 400 days ahead in another time
zone, in the locale C and in another, and with folders listed backwards; limits leave room; no layer, history or build argument of the image (Docker)
gives the tests away; known attacks fail; and each check names the words of the instruction that ask for it, as a list to be read.
With --attack agents try to pass without solving it (docs/attacks.md); what passes is the task's own weakness, and the last line is the suite's
hackable share.

Examples:
  forge task check my-tasks/word-count
  forge task check builtin --sandbox bubblewrap
  forge task check my-tasks/word-count --full
  forge task check fresh --full --repeats 3 --json
  forge task check builtin --attack
  forge task check my-tasks/word-count --attack work-writes-reward,shadow-modules

Exit code: 0 all hold · 1 one does not, or an attack passed · 2 usage · 3 no sandbox`;

export function registerTask(program: Command): void {
  const task = program.command("task").description("tasks and suites");
  task
    .command("check")
    .description("gate a task, or every task of a suite")
    .argument("<folder|suite>", "a task's folder, a folder of tasks, builtin or demo")
    .option("--filter <glob>", "only tasks whose name fits")
    .option("--sandbox <kind>", "docker, bubblewrap or local (default: the first that works)")
    .option("--full", "the whole gate, not only a quick look")
    .option("--repeats <n>", "trials of the solution (default: 1, with --full 10)", wholeNumber)
    .option("--jobs <n>", "tasks at a time (default: 2)", wholeNumber)
    .option("--attack [names]", "instead, let known attacks loose on the task: all that apply, or those named (separated by commas)")
    .option("--json", "one JSON object a task")
    .addHelpText("after", help)
    .action(async (suite: string, options: CheckFlags & { attack?: string | true }) => {
      const { attack, ...others } = options;
      if (attack !== undefined) {
        const { attackTasks } = await import("./attack-tasks.ts");
        process.exitCode = await attackTasks(suite, attack === true ? others : { ...others, only: attack });
        return;
      }
      const { checkTasks } = await import("./check-tasks.ts");
      process.exitCode = await checkTasks(suite, others);
    });
  registerTaskGenerate(task);
  registerTaskTools(task);
}
