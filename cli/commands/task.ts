import type { Command } from "commander";
import { registerTaskGenerate } from "./task-generate.ts";

const help = `
A task passes when its solution passes, doing nothing and every wrong solution fails, and neither tests nor solution lie in its image.

Examples:
  forge task check my-tasks/word-count
  forge task check builtin --sandbox bubblewrap
  forge task check demo --json`;

export function registerTask(program: Command): void {
  const task = program.command("task").description("tasks and suites");
  task
    .command("check")
    .description("gate a task, or every task of a suite")
    .argument("<folder|suite>", "a task's folder, a folder of tasks, builtin or demo")
    .option("--filter <glob>", "only tasks whose name fits")
    .option("--sandbox <kind>", "docker, bubblewrap or local (default: the first that works)")
    .option("--json", "one JSON object a task")
    .addHelpText("after", help)
    .action(async (suite: string, options: { filter?: string; sandbox?: string; json?: boolean }) => {
      const { checkTasks } = await import("../check-tasks.ts");
      process.exitCode = await checkTasks(suite, options);
    });
  registerTaskGenerate(task);
}
