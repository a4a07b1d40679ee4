import type { Command } from "commander";
import { registerTaskGenerate } from "./task-generate.ts";

const help = `
A task passes when its solution passes, doing nothing and every wrong solution fails, and neither tests nor solution lie in its image.
With --attack agents try to pass without solving it (docs/attacks.md); what passes is the task's own weakness, and the last line is the suite's
hackable share. It ends with exit code 1 when an attack passed.

Examples:
  forge task check my-tasks/word-count
  forge task check builtin --sandbox bubblewrap
  forge task check demo --json
  forge task check builtin --attack
  forge task check my-tasks/word-count --attack work-writes-reward,shadow-modules`;

export function registerTask(program: Command): void {
  const task = program.command("task").description("tasks and suites");
  task
    .command("check")
    .description("gate a task, or every task of a suite")
    .argument("<folder|suite>", "a task's folder, a folder of tasks, builtin or demo")
    .option("--filter <glob>", "only tasks whose name fits")
    .option("--sandbox <kind>", "docker, bubblewrap or local (default: the first that works)")
    .option("--attack [names]", "instead, let known attacks loose on the task: all that apply, or those named (separated by commas)")
    .option("--json", "one JSON object a task")
    .addHelpText("after", help)
    .action(async (suite: string, options: { filter?: string; sandbox?: string; attack?: string | true; json?: boolean }) => {
      const { attack, ...others } = options;
      if (attack !== undefined) {
        const { attackTasks } = await import("../attack-tasks.ts");
        process.exitCode = await attackTasks(suite, attack === true ? others : { ...others, only: attack.split(",") });
        return;
      }
      const { checkTasks } = await import("../check-tasks.ts");
      process.exitCode = await checkTasks(suite, others);
    });
  registerTaskGenerate(task);
}
