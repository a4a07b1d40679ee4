import type { Command } from "commander";
import { shellOptions, type ShellFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

const examples = [
  ["forge trial shell jobs/1a2b3c/trials/word-count/standard/1", "as the agent left it"],
  ["forge trial shell TRIAL --step 3", "after its third call"],
  ["forge trial shell TRIAL --step 0 -- 'ls -la; git log --oneline'", "before the agent began"],
] as const;

export function registerTrial(program: Command): void {
  const trial = program.command("trial").summary("open a shell in a trial").description("Look into one trial of a job.");
  withHelp(trial, { examples });
  const shell = trial
    .command("shell")
    .description("a shell in the trial's sandbox as it was after a step")
    .argument("<trial>", "the folder of a trial or of one of its attempts")
    .argument("[command...]", "after --: run this in place of a shell; one word is a shell's command line")
    .action(async (folder: string, words: string[], options: ShellFlags) => {
      const { trialShell } = await import("./trial-shell.ts");
      process.exitCode = await trialShell(folder, words, options);
    });
  withOptions(shell, shellOptions);
  withHelp(shell, {
    details:
      "The recorded tool calls are carried out again, without a model, in a fresh sandbox of the trial's task; results that differ from the recorded ones are reported. What a middleware ran by itself is not carried out again. The sandbox is removed at the end, after Ctrl-C too.",
    examples,
    exitCodes: "the command's or the shell's own · 2 usage · 3 no task, image or sandbox · 4 damaged trace · 130 interrupted",
  });
}
