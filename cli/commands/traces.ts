import type { Command } from "commander";

const help = `
A run's folder holds its trace; a job's folder stands for all its runs.

Examples:
  forge traces recover jobs/1a2b3c             seal what killed runs left: the torn tail is set aside
  forge traces compress jobs/1a2b3c            less than half of the bytes; everything reads it as before
  forge traces compress jobs/1a2b3c --undo     back to plain text`;

export function registerTraces(program: Command): void {
  const traces = program.command("traces").description("look after recorded runs").addHelpText("after", help);
  traces
    .command("recover")
    .description("seal what a killed run left: its whole events stay, a torn tail is moved into a file beside the trace")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .option("--json", "one JSON object a run, the summary last")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { recoverRuns } = await import("../keep-traces.ts");
      process.exitCode = await recoverRuns(folders, options);
    });
  traces
    .command("compress")
    .description("compress sealed traces; every command reads them as before")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .option("--undo", "make plain files of compressed ones")
    .option("--json", "one JSON object a run, the summary last")
    .action(async (folders: string[], options: { undo?: boolean; json?: boolean }) => {
      const { compressRuns } = await import("../keep-traces.ts");
      process.exitCode = await compressRuns(folders, options);
    });
}
