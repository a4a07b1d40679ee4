import type { Command } from "commander";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";
import { analyzeOptions, type AnalyzeFlags } from "./options.ts";

export function registerAnalyze(program: Command): void {
  const analyze = program
    .command("analyze")
    .summary("why runs failed, and what to change")
    .description("Why runs failed: rules and contrast over recorded runs, issues, and suggested changes of the configuration.")
    .argument("<source...>", "jobs, archives, bundles, runs, or folders with runs")
    .action(async (sources: string[], options: AnalyzeFlags) => {
      const { analyzeRuns } = await import("./analyze-runs.ts");
      const { createAnalyst } = await import("./create-analyst.ts");
      await analyzeRuns(sources, options, await createAnalyst(options));
    });
  withOptions(analyze, analyzeOptions);
  withHelp(analyze, {
    details:
      "A source is a job (its name, the beginning of its id, or its folder), an archive of a job or a bundle of runs (.tar.gz, .tgz), a run's folder, or a folder with runs, imported ones too. Without --model no model is used; with it one reads the failed runs, each conversation a recorded run in the analysis. An analysis is a folder in .forge/analyses; run the same command again to resume one that was interrupted. Issues are files in .forge/issues.",
    examples: [
      ["forge analyze jobs/1a2b3c", "what fails, how often, where and why"],
      ["forge analyze jobs/1a2b3c --model openai/gpt-5-mini", "a model reads the failed runs"],
      ["forge analyze jobs/1a2b3c --json | jq .issues"],
    ],
    exitCodes: "0 with findings or without · 2 wrong option or key · 3 nothing to read · 4 damaged analysis",
  });
}
