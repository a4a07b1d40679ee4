import type { Command } from "commander";
import { collectVariables, countNumber } from "../shared/option-values.ts";
import type { ShellFlags } from "./options.ts";

const help = `
The recorded tool calls are carried out again, without a model, in a fresh sandbox of the trial's task; where a result differs from the recorded
one, that is told. What a middleware ran by itself is not carried out again. The sandbox is removed at the end, after Ctrl-C too.

Examples:
  forge trial shell jobs/1a2b3c/trials/word-count/standard/1             as the agent left it
  forge trial shell jobs/1a2b3c/trials/word-count/standard/1 --step 3    after its third call
  forge trial shell jobs/1a2b3c/trials/word-count/standard/1 --step 3 -- cat notes.txt
  forge trial shell TRIAL --step 0 -- 'ls -la; git log --oneline'        before the agent came; one word is a shell's command line

Exit code: the command's or the shell's own; 2 usage · 3 no task, image or sandbox · 4 damaged trace · 130 interrupted`;

export function registerTrial(program: Command): void {
  const trial = program.command("trial").description("look into one trial of a job");
  trial
    .command("shell")
    .description("a shell in the trial's sandbox as it was after a step")
    .argument("<trial>", "the folder of a trial or of one of its attempts")
    .argument("[command...]", "behind --: run this instead of a shell, and print what it says")
    .option("--step <k>", "carry out the first k recorded calls (default: all)", countNumber)
    .option("--task <dir>", "the task's folder, or one of several tasks (default: from where the job found it)")
    .option("--sandbox <kind>", "docker, bubblewrap, local or local-unsafe (default: the trial's)")
    .option("--task-env <name>", "a variable of your environment that the task may read; repeat it (default: none)", collectVariables)
    .addHelpText("after", help)
    .action(async (folder: string, words: string[], options: ShellFlags) => {
      const { trialShell } = await import("./trial-shell.ts");
      process.exitCode = await trialShell(folder, words, options);
    });
}
