import type { Command } from "commander";
import { bundleOptions, exportOptions, importOptions, type BundleFlags, type ExportFlags, type ImportFlags } from "./options.ts";
import { withHelp } from "../../shared/command-help.ts";
import { withOptions } from "../../shared/option-table.ts";

/** What takes runs out of the lab, and brings others in. */
export function registerSharing(traces: Command): void {
  traces.commandsGroup("Share:");
  const exporting = traces
    .command("export")
    .description("runs in a form that other software reads")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .action(async (folders: string[], options: ExportFlags) => {
      const { exportRuns } = await import("./export-runs.ts");
      process.exitCode = await exportRuns(folders, options);
    });
  withOptions(exporting, exportOptions);
  withHelp(exporting, {
    details: `atif: ATIF v1.7, Harbor's trajectory format, with images beside it. otlp: spans as OTLP JSON with GenAI attributes. markdown, html: a page to read in one file. langsmith: a run tree, sent to a project of LangSmith; needs LANGSMITH_API_KEY, and LANGSMITH_ENDPOINT for a server of your own.

The run is checked first. Secrets are masked once more: the values of this environment's keys, and whatever looks like a key; how many of each kind is reported. The same run gives the same bytes.`,
    examples: [
      ["forge traces export RUN --format markdown | less", "one run goes to standard output"],
      ["forge traces export jobs/1a2b3c --format atif --out trajectories"],
      ["forge traces export jobs/1a2b3c --format langsmith --project forge"],
    ],
    exitCodes:
      "0 written or sent · 2 another file exists there, or there is no key · 3 the run is still going, or LangSmith refused it · 4 a run is damaged",
  });
  const importing = traces
    .command("import")
    .description("runs of other agents as traces, to be read and compared")
    .argument("<place...>", "a file or a folder that another agent wrote, or langsmith:PROJECT")
    .action(async (places: string[], options: ImportFlags) => {
      const { importRuns } = await import("./import-runs.ts");
      process.exitCode = await importRuns(places, options);
    });
  withOptions(importing, importOptions);
  withHelp(importing, {
    details: `harbor: a job's or a trial's folder. terminal-bench: a run's folder of Terminal-Bench 1. atif: a trajectory of ATIF 1.x. claude-code: a session, as in ~/.claude/projects. codex: a session, as in ~/.codex/sessions. steps: steps.json, a small form for a run of any agent (docs/steps-format.md). langsmith: the traces of a project, from its API; needs LANGSMITH_API_KEY, and LANGSMITH_ENDPOINT for a server of your own.

An imported run is a trace like any other for list, show, stats, diff, verify and export. It cannot be replayed: what its harness asked and received was not recorded. What a reader does not know is kept as notes and counted. Secrets are masked as in every trace. A run whose source has grown since it was imported replaces the earlier one, and that is reported.`,
    examples: [
      ["forge traces import jobs/2026-01-01__12-00-00", "a job of Harbor"],
      ["forge traces import ~/.claude/projects --format claude-code --out sessions"],
      ["forge traces import langsmith:my-agent"],
    ],
    exitCodes:
      "0 imported, or already there · 2 another run has that folder, or this one with more in it · 3 no known format, the run that would be replaced is pinned, or LangSmith does not respond · 4 a file is damaged",
  });
  const bundle = traces
    .command("bundle")
    .description("one archive of runs, without secrets, that replays on another machine")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .action(async (folders: string[], options: BundleFlags) => {
      const { bundleRuns } = await import("./bundle-runs.ts");
      process.exitCode = await bundleRuns(folders, options);
    });
  withOptions(bundle, bundleOptions);
  withHelp(bundle, {
    details:
      "The bundle is a tar.gz with each run's trace, payloads and seal, a list of them and their hashes. Secrets are masked once more, each character as one █. A run with one is recorded again around that, with hashes of its own; every run is replayed from the bundle before it is written, and what was masked is listed by kind. The same runs give the same bytes.",
    examples: [
      ["forge traces bundle jobs/1a2b3c --out 1a2b3c.tgz"],
      ["forge replay shared.tgz", "on another machine"],
      ["forge traces show shared.tgz#RUN", "one run of it, by the name that list gives it"],
    ],
    exitCodes:
      "0 written · 1 written, but a run no longer replays without what was masked · 2 the file exists · 3 a run is not sealed · 4 damaged",
  });
}
