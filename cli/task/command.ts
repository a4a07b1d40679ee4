import type { Command } from "commander";
import { registerTaskGenerate } from "./generate-command.ts";
import { registerTaskLooking } from "./look-command.ts";
import { registerTaskMaking } from "./make-command.ts";
import { checkOptions, type CheckFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerTask(program: Command): void {
  const task = program.command("task").summary("make, check and list tasks").description("Tasks and suites.");
  withHelp(task, {
    examples: [
      ["forge task init my-tasks/word-count", "a small task, to be changed"],
      ["forge task check my-tasks/word-count --full", "held to the whole gate"],
      ["forge task list", "the suites that come with Forge"],
    ],
  });
  const check = task
    .command("check")
    .description("gate a task, or every task of a suite")
    .argument("<folder|suite>", "a task's folder, a folder of tasks, builtin or demo")
    .action(async (suite: string, options: CheckFlags) => {
      const { attack, ...others } = options;
      if (attack !== undefined) {
        const { attackTasks } = await import("./attack-tasks.ts");
        process.exitCode = await attackTasks(suite, attack === true ? others : { ...others, only: attack });
        return;
      }
      const { checkTasks } = await import("./check-tasks.ts");
      process.exitCode = await checkTasks(suite, others);
    });
  withOptions(check, checkOptions);
  withHelp(check, {
    details: `A task passes when its solution passes, doing nothing and each wrong solution fail, and neither tests nor solution are in its image. With --full the solution must pass ten times, also without network, under another clock, time zone and locale, and with folders listed backwards; limits leave room; no layer of the image gives the tests away; known attacks fail; and each check names the words of the instruction that ask for it.

With --attack agents try to pass without solving it (docs/lab/attacks.md in the repository); what passes is the task's own weakness, and the last line is the suite's hackable share.`,
    examples: [
      ["forge task check my-tasks/word-count --full"],
      ["forge task check builtin --attack"],
      ["forge task check my-tasks/word-count --attack shadow-modules"],
    ],
    exitCodes: "0 all hold · 1 one does not, or an attack passed · 2 usage · 3 no sandbox",
  });
  registerTaskMaking(task);
  registerTaskGenerate(task);
  registerTaskLooking(task);
}
