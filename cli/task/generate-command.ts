import type { Command } from "commander";

const help = `
Tasks are drawn by families. The same family, level and seed give the same task, byte for byte, on every machine; another seed
gives one that nobody has seen.

Examples:
  forge task generate --family group-totals --seeds 1..20 --level easy --out tasks-easy
  forge task generate --family all --seeds 7 --out fresh && forge bench fresh --sandbox bubblewrap
  forge task families`;

export function registerTaskGenerate(task: Command): void {
  task
    .command("generate")
    .description("draw fresh tasks from the generated families")
    .requiredOption("--family <names>", "names with commas between them, a glob, or all")
    .requiredOption("--seeds <a..b>", "a whole number from 0 to 999999999, or a range of at most 10000 of them")
    .option("--level <levels>", "easy, medium, hard, with commas between them (default: all three)")
    .requiredOption("--out <dir>", "a folder that does not exist yet, or is empty")
    .option("--json", "one JSON object: the folder and the tasks' names")
    .addHelpText("after", help)
    .action(async (options: { family: string; seeds: string; level?: string; out: string; json?: boolean }) => {
      const { generateFromOptions } = await import("./generate-tasks.ts");
      process.exitCode = await generateFromOptions(options);
    });
  task
    .command("families")
    .description("list the generated families")
    .option("--json", "one JSON array")
    .action(async (options: { json?: boolean }) => {
      const { listFamilies } = await import("./generate-tasks.ts");
      listFamilies(options.json === true);
    });
}
