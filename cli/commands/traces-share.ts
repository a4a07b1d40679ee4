import type { Command } from "commander";
import type { ExportFlags } from "../export-runs.ts";

const exportHelp = `
Formats:
  atif       ATIF v1.7, Harbor's trajectory format: trajectory.json, with images beside it
  otlp       spans as OTLP JSON with GenAI attributes: traces.json
  markdown   a page to read: run.md
  html       a page to read in one file, without scripts: run.html

The run is checked first. Secrets are taken out once more: the values of this environment's keys, and whatever looks like a key. How many of each kind
were found is said. The same run gives the same bytes.

Examples:
  forge traces export RUN --format markdown | less        one run goes to standard output
  forge traces export RUN --format html --out run.html
  forge traces export jobs/1a2b3c --format atif --out trajectories    a folder a run

Exit codes: 0 written · 2 another file is there already (--force replaces it) · 3 the run is still going · 4 a run is damaged`;

/** What takes runs out of the lab, and brings others in. */
export function registerSharing(traces: Command): void {
  traces
    .command("export")
    .description("runs in a form that other software reads")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .requiredOption("--format <name>", "atif, otlp, markdown or html")
    .option("--out <place>", "a folder, made where it is not there; for a single run also a file (default: standard output)")
    .option("--force", "replace files that are there")
    .option("--json", "one JSON object a run, the summary last")
    .addHelpText("after", exportHelp)
    .action(async (folders: string[], options: ExportFlags) => {
      const { exportRuns } = await import("../export-runs.ts");
      process.exitCode = await exportRuns(folders, options);
    });
}
