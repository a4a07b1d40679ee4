import type { Command } from "commander";

const help = `
A run's folder holds trace.jsonl; a job's folder stands for all its runs.

Examples:
  forge replay jobs/1a2b3c                     run every recorded run again, without model, network or container
  forge replay jobs/1a2b3c --verify            check hashes, blobs, requests and seals only
  forge replay .forge/runs/20260101-1200 --json`;

export function registerReplay(program: Command): void {
  program
    .command("replay")
    .description("run a recorded trace again without the model: exact, or the first place where it differs")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .option("--verify", "only check that the traces are whole (L0)")
    .option("--trust", "run a user's middleware that you have not run here before; from the trace where its file has changed or is gone")
    .option("--json", "one JSON object a run, the summary last")
    .addHelpText("after", help)
    .action(async (folders: string[], options: { verify?: boolean; trust?: boolean; json?: boolean }) => {
      const { replay } = await import("../replay-runs.ts");
      process.exitCode = await replay(folders, options);
    });
}
