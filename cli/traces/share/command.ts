import type { Command } from "commander";
import type { BundleFlags, ExportFlags, ImportFlags } from "./options.ts";

const exportHelp = `
Formats:
  atif       ATIF v1.7, Harbor's trajectory format: trajectory.json, with images beside it
  otlp       spans as OTLP JSON with GenAI attributes: traces.json
  markdown   a page to read: run.md
  html       a page to read in one file, without scripts: run.html
  langsmith  a run tree in a project of LangSmith, sent there; needs LANGSMITH_API_KEY, and LANGSMITH_ENDPOINT for a server of your own

The run is checked first. Secrets are taken out once more: the values of this environment's keys, and whatever looks like a key. How many of each kind
were found is said. The same run gives the same bytes.

Examples:
  forge traces export RUN --format markdown | less        one run goes to standard output
  forge traces export RUN --format html --out run.html
  forge traces export jobs/1a2b3c --format atif --out trajectories    a folder a run
  forge traces export jobs/1a2b3c --format langsmith --project forge  broken off, the same command goes on; nothing is sent twice without --force

Exit codes: 0 written or sent · 2 another file is there already (--force replaces it), or there is no key · 3 the run is still going, or LangSmith did not
take it · 4 a run is damaged`;

const importHelp = `
Formats:
  harbor          a job's or a trial's folder of Harbor: results, and the trajectory that the agent wrote
  terminal-bench  a run's folder of Terminal-Bench 1: results, episodes, what the terminal showed
  atif            a trajectory of ATIF 1.x, or a folder with trajectory.json files
  claude-code     a session of Claude Code, as in ~/.claude/projects, or a folder with some
  codex           a session of Codex, as in ~/.codex/sessions, or a folder with some
  steps           steps.json, a small form for a run of any agent (docs/steps-format.md), or a folder with some
  langsmith       langsmith:PROJECT, the traces of a project, asked from its API; needs LANGSMITH_API_KEY, and LANGSMITH_ENDPOINT for a server of your own

An imported run is a trace like any other for list, show, stats, diff, verify and export. It cannot be replayed: what its harness asked and was answered
was not recorded. What a reader does not know is kept as notes and counted. Secrets are taken out as in every trace. A run whose source has grown since
it was imported takes the place of what was there, and that is said.

Examples:
  forge traces import jobs/2026-01-01__12-00-00            a job of Harbor
  forge traces import ~/.claude/projects --format claude-code --out sessions
  forge traces import trajectory.json --json
  forge traces import runs --format steps
  forge traces import langsmith:my-agent

Exit codes: 0 imported, or there already · 2 another run has that folder, or this one with more in it · 3 nothing that a reader knows, the run that would be
replaced is pinned, or LangSmith does not answer · 4 a file is damaged`;

const bundleHelp = `
The bundle is a tar.gz with each run's trace, payloads and seal, a list of them and their hashes. Secrets are taken out once more: the values of this
environment's keys, and whatever looks like a key, each character one █. A run with one is recorded anew around that, with hashes of its own; every run
is replayed from the bundle before it is written, and what was taken out is listed by kind. The same runs give the same bytes.

Examples:
  forge traces bundle RUN --out shared.tgz
  forge traces bundle jobs/1a2b3c --out 1a2b3c.tgz
  forge replay shared.tgz                        on another machine; so do traces list, show, stats, diff, verify and export
  forge traces show shared.tgz#RUN               one run of it, by the name that list gives it

Exit codes: 0 written · 1 written, but a run no longer replays without what was taken out · 2 the file is there already · 3 a run is not sealed · 4 damaged`;

/** What takes runs out of the lab, and brings others in. */
export function registerSharing(traces: Command): void {
  traces
    .command("export")
    .description("runs in a form that other software reads")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .requiredOption("--format <name>", "atif, otlp, markdown, html or langsmith")
    .option("--out <place>", "a folder, made where it is not there; for a single run also a file (default: standard output)")
    .option("--force", "replace files that are there; with langsmith: send again what it has acknowledged")
    .option("--project <name>", "of LangSmith, made where it is not there (default: LANGSMITH_PROJECT, else forge)")
    .option("--json", "one JSON object a run, the summary last")
    .addHelpText("after", exportHelp)
    .action(async (folders: string[], options: ExportFlags) => {
      const { exportRuns } = await import("./export-runs.ts");
      process.exitCode = await exportRuns(folders, options);
    });
  traces
    .command("import")
    .description("runs of other agents as traces, to be read and compared")
    .argument("<place...>", "a file or a folder that another agent wrote, or langsmith:PROJECT")
    .option("--format <name>", "harbor, terminal-bench, atif, claude-code, codex or langsmith (default: told by what is there)")
    .option("--out <folder>", "where the runs go (default: .forge/runs/imported-FORMAT)")
    .option("--json", "one JSON object a run, the summary last")
    .addHelpText("after", importHelp)
    .action(async (places: string[], options: ImportFlags) => {
      const { importRuns } = await import("./import-runs.ts");
      process.exitCode = await importRuns(places, options);
    });
  traces
    .command("bundle")
    .description("one archive of runs, without secrets, that replays on another machine")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .requiredOption("--out <file>", "the archive, such as shared.tgz")
    .option("--json", "one JSON object")
    .addHelpText("after", bundleHelp)
    .action(async (folders: string[], options: BundleFlags) => {
      const { bundleRuns } = await import("./bundle-runs.ts");
      process.exitCode = await bundleRuns(folders, options);
    });
}
