import type { Command } from "commander";
import { compressOptions, gcOptions, pinOptions, pruneOptions, recoverOptions, type PruneFlags } from "./options.ts";
import { withHelp } from "../../shared/command-help.ts";
import { withOptions } from "../../shared/option-table.ts";

/** What changes folders of runs. */
export function registerKeeping(traces: Command): void {
  traces.commandsGroup("Keep:");
  const command = (name: string): Command => traces.command(name).argument("<folder...>", "a run's folder, or a job's for all its runs");
  const recover = command("recover")
    .description("seal what a killed run left: its whole events stay, a torn tail is moved into a file beside the trace")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { recoverRuns } = await import("./keep-traces.ts");
      process.exitCode = await recoverRuns(folders, options);
    });
  withHelp(withOptions(recover, recoverOptions), { examples: [["forge traces recover jobs/1a2b3c"]] });
  const compress = command("compress")
    .description("compress sealed traces; every command reads them as before")
    .action(async (folders: string[], options: { undo?: boolean; json?: boolean }) => {
      const { compressRuns } = await import("./keep-traces.ts");
      process.exitCode = await compressRuns(folders, options);
    });
  withHelp(withOptions(compress, compressOptions), {
    examples: [["forge traces compress jobs/1a2b3c", "less than half of the bytes"], ["forge traces compress jobs/1a2b3c --undo"]],
  });
  const gc = command("gc")
    .description("remove payloads that no event of their trace refers to; the trace is checked first")
    .action(async (folders: string[], options: { dryRun?: boolean; json?: boolean }) => {
      const { collectGarbage } = await import("./keep-traces.ts");
      process.exitCode = await collectGarbage(folders, options);
    });
  withHelp(withOptions(gc, gcOptions), { examples: [["forge traces gc jobs/1a2b3c --dry-run"]] });
  const pin = command("pin")
    .description("keep runs from being pruned")
    .action(async (folders: string[], options: { undo?: boolean; json?: boolean }) => {
      const { pinRuns } = await import("./keep-traces.ts");
      process.exitCode = await pinRuns(folders, options);
    });
  withHelp(withOptions(pin, pinOptions), { examples: [["forge traces pin RUN"], ["forge traces pin RUN --undo"]] });
  const prune = command("prune")
    .description("remove traces by age and size, or those that ended processes left")
    .action(async (folders: string[], options: PruneFlags) => {
      const { pruneRuns } = await import("./prune-runs.ts");
      process.exitCode = await pruneRuns(folders, options);
    });
  withOptions(prune, pruneOptions);
  withHelp(prune, {
    details:
      "A trace is removed with its payloads; results, deltas and records of a job stay, but a trial without a trace can no longer be replayed. Never removed are pinned runs, damaged ones, and those that are being written. Several conditions hold together.",
    examples: [
      ["forge traces prune jobs --older-than 30d --dry-run"],
      ["forge traces prune .forge/runs --keep 2GB", "the oldest go until the others fit"],
      ["forge traces prune .forge/runs --unsealed", "recover keeps and seals these instead"],
    ],
  });
}
