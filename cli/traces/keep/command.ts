import type { Command } from "commander";
import { byteSize, span } from "../../shared/option-values.ts";
import type { PruneFlags } from "./prune-runs.ts";

const pruneHelp = `
Removed is a trace with its payloads; results, deltas and records of a job stay, but a trial without a trace can no longer be replayed.
Never removed: a pinned run, a damaged one, and one that is being written. Several conditions hold together.

Examples:
  forge traces prune jobs --older-than 30d --dry-run
  forge traces prune .forge/runs --keep 2GB      the oldest go until the others fit
  forge traces prune .forge/runs --unsealed      what killed runs and forks left; forge traces recover keeps and seals it instead`;

/** What changes folders of runs. */
export function registerKeeping(traces: Command): void {
  const command = (name: string): Command =>
    traces
      .command(name)
      .argument("<folder...>", "a run's folder, or a job's for all its runs")
      .option("--json", "one JSON object a run, the summary last");
  command("recover")
    .description("seal what a killed run left: its whole events stay, a torn tail is moved into a file beside the trace")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { recoverRuns } = await import("./keep-traces.ts");
      process.exitCode = await recoverRuns(folders, options);
    });
  command("compress")
    .description("compress sealed traces; every command reads them as before")
    .option("--undo", "make plain files of compressed ones")
    .action(async (folders: string[], options: { undo?: boolean; json?: boolean }) => {
      const { compressRuns } = await import("./keep-traces.ts");
      process.exitCode = await compressRuns(folders, options);
    });
  command("gc")
    .description("remove payloads that no event of their trace refers to; the trace is checked first")
    .option("--dry-run", "only say what would be removed")
    .action(async (folders: string[], options: { dryRun?: boolean; json?: boolean }) => {
      const { collectGarbage } = await import("./keep-traces.ts");
      process.exitCode = await collectGarbage(folders, options);
    });
  command("pin")
    .description("keep runs from being pruned")
    .option("--undo", "let them go again")
    .action(async (folders: string[], options: { undo?: boolean; json?: boolean }) => {
      const { pinRuns } = await import("./keep-traces.ts");
      process.exitCode = await pinRuns(folders, options);
    });
  command("prune")
    .description("remove traces by age and size, or those that ended processes left")
    .option("--older-than <time>", "only runs nobody wrote to for so long: 12h, 30d", span)
    .option("--larger-than <size>", "only runs that take more: 500MB, 2GB", byteSize)
    .option("--keep <size>", "the oldest, until all runs together take no more than this", byteSize)
    .option("--unsealed", "only what processes that were ended left: no seal, and nobody writes it")
    .option("--dry-run", "only say what would be removed")
    .addHelpText("after", pruneHelp)
    .action(async (folders: string[], options: PruneFlags) => {
      const { pruneRuns } = await import("./prune-runs.ts");
      process.exitCode = await pruneRuns(folders, options);
    });
}
