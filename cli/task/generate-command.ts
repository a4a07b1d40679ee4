import type { Command } from "commander";
import { familiesOptions, generateOptions, type GenerateFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerTaskGenerate(task: Command): void {
  const generate = task
    .command("generate")
    .description("draw fresh tasks from the generated families")
    .action(async (options: GenerateFlags) => {
      const { generateFromOptions } = await import("./generate-tasks.ts");
      process.exitCode = await generateFromOptions(options);
    });
  withOptions(generate, generateOptions);
  withHelp(generate, {
    details:
      "The same family, level and seed give the same task, byte for byte, on every machine; another seed gives a task that no model has seen.",
    examples: [
      ["forge task generate --family group-totals --seeds 1..9 --level easy --out easy"],
      ["forge task generate --family all --seeds 7 --out fresh && forge bench fresh"],
    ],
  });
  const families = task
    .command("families")
    .description("list the generated families")
    .action(async (options: { json?: boolean }) => {
      const { listFamilies } = await import("./generate-tasks.ts");
      listFamilies(options.json === true);
    });
  withHelp(withOptions(families, familiesOptions), { examples: [["forge task families"]] });
}
