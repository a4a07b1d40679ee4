import type { Command } from "commander";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";
import { improveOptions, type ImproveFlags } from "./options.ts";

export function registerImprove(program: Command): void {
  const improve = program
    .command("improve")
    .summary("prove that accepted changes help")
    .description("Screen accepted changes on fresh tasks, then test what is kept, once, on families of tasks that nothing was made from.")
    .argument("<job>", "the job whose failures led to the changes")
    .action(async (job: string, options: ImproveFlags) => {
      const { improveJob } = await import("./improve-job.ts");
      process.exitCode = await improveJob(job, options, typedCommand());
    });
  withOptions(improve, improveOptions);
  withHelp(improve, {
    details:
      "The plan is printed and confirmed first. Changes are made from and screened on develop families; the test families, whose runs are not read, show the effect, once. Run the same command again to resume. More: docs/improve.md.",
    examples: [
      ["forge improve jobs/1a2b3c --tasks generated", "the changes you accepted with forge issues"],
      ["forge improve jobs/1a2b3c --tasks generated --gate auto --budget 90m"],
    ],
    exitCodes:
      "0 shown better · 1 shown worse · 2 usage · 3 cannot be decided here · 5 not shown, or the budget ended before · 130 interrupted",
  });
}

/** The command as a person can paste it. */
function typedCommand(): string {
  const words = process.argv.slice(2).map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : quote(word)));
  return ["forge", ...words].join(" ");
}
