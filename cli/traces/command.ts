import type { Command } from "commander";
import { collect, wholeNumber } from "../shared/option-values.ts";
import { registerKeeping } from "./keep/command.ts";
import { registerSharing } from "./share/command.ts";
import type { SearchFlags } from "./search-runs.ts";
import type { ShowFlags } from "./show-run.ts";

const help = `
A run's folder holds its trace; a job's folder stands for all its runs.

Examples:
  forge traces list                            every run below ./jobs and ./.forge/runs, the newest first
  forge traces show RUN | less -R              turn by turn: what was said, called and answered, who intervened, what it cost
  forge traces show RUN --step 7               one turn, nothing cut
  forge traces show RUN --grep "not found"     the events in which that stands
  forge traces search '"no such file" pytest'  the events, of all runs, in which both stand, the newest first
  forge traces stats jobs/1a2b3c               tools, middleware, tokens and money of all its runs
  forge traces verify jobs/1a2b3c              hashes, blobs, requests and seals
  forge traces tail jobs/1a2b3c                what its newest run does now
  forge traces diff RUN OTHER                  the first step in which they differ
  forge traces tree                            which runs went on from which
  forge traces recover jobs/1a2b3c             seal what killed runs left: the torn tail is set aside
  forge traces compress jobs/1a2b3c            less than half of the bytes; everything reads it as before
  forge traces export RUN --format markdown    a page of it; also html, atif, otlp
  forge traces bundle RUN --out shared.tgz     one archive, without secrets, that replays elsewhere
  forge traces import jobs/2026-01-01__12-00   runs of Harbor, Terminal-Bench, Claude Code, to be read and compared
  forge traces pin RUN                         never prune this one
  forge traces prune jobs --older-than 30d --dry-run`;

export function registerTraces(program: Command): void {
  const traces = program.command("traces").description("list, read and look after recorded runs").addHelpText("after", help);
  traces
    .command("list")
    .description("a line a run, the newest first, from the ends of each trace: nothing is checked (verify does)")
    .argument("[folder...]", "a run's folder, or a job's for all its runs; left out: ./jobs and ./.forge/runs")
    .option("-n, --limit <n>", "only so many", wholeNumber)
    .option("--json", "one JSON object a run")
    .action(async (folders: string[], options: { limit?: number; json?: boolean }) => {
      const { listRuns } = await import("./list-runs.ts");
      process.exitCode = await listRuns(folders, options);
    });
  traces
    .command("show")
    .description("a run for a reader, turn by turn; long texts are cut")
    .argument("<run>", "a run's folder")
    .option("--step <turn>", "only this turn, nothing cut", wholeNumber)
    .option("--grep <text>", "only the events in which this text stands, one a line")
    .option("--type <type>", "only events of this type, one a line, such as tool.call; may be repeated", collect)
    .option("--full", "cut nothing")
    .option("--json", "one JSON object a turn, or an event; with --full or --step a turn's events too")
    .action(async (run: string, options: ShowFlags) => {
      const { showRun } = await import("./show-run.ts");
      process.exitCode = await showRun(run, options);
    });
  traces
    .command("tail")
    .description("a run's events as they are written, until it ends")
    .argument("<run>", "a run's folder, or a job's for the newest run that is going")
    .option("--json", "one JSON object an event")
    .action(async (run: string, options: { json?: boolean }) => {
      const { tailRun } = await import("./tail-run.ts");
      process.exitCode = await tailRun(run, options);
    });
  traces
    .command("diff")
    .description("the first step in which two runs differ, with a diff; 0 when none does (as forge replay --bisect)")
    .argument("<run...>", "two runs' folders")
    .option("--json", "one JSON object")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { bisectRuns } = await import("../replay/bisect-runs.ts");
      process.exitCode = await bisectRuns(folders, { ...options, asked: "forge traces diff" });
    });
  traces
    .command("search")
    .description("the events in which all the words stand, the newest first; words in quotation marks stand together, a star goes on")
    .argument("<text>", "what to look for, whatever its case")
    .argument("[folder...]", "a run's folder, or a job's for all its runs; left out: ./jobs and ./.forge/runs")
    .option("--type <type>", "only events of this type, such as tool.result; may be repeated", collect)
    .option("-n, --limit <n>", "only so many (default: 50, with --json all)", wholeNumber)
    .option("--json", "one JSON object an event, the summary last")
    .action(async (text: string, folders: string[], options: SearchFlags) => {
      const { searchRuns } = await import("./search-runs.ts");
      process.exitCode = await searchRuns(text, folders, options);
    });
  traces
    .command("index")
    .description("read new runs into .forge/index.db, which list and search use; it may be deleted at any time")
    .argument("[folder...]", "where the runs lie; left out: ./jobs and ./.forge/runs")
    .option("--json", "one JSON object")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { indexRuns } = await import("./search-runs.ts");
      process.exitCode = await indexRuns(folders, options);
    });
  traces
    .command("stats")
    .description("sums over runs: ends, tokens, money, tools, middleware")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .option("--json", "one JSON object")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { traceStats } = await import("./trace-stats.ts");
      process.exitCode = await traceStats(folders, options);
    });
  traces
    .command("verify")
    .description("whether traces are whole: hashes, blobs, requests, seals (as forge replay --verify)")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .option("--json", "one JSON object a run, the summary last")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { replay } = await import("../replay/replay-runs.ts");
      process.exitCode = await replay(folders, { ...options, verify: true });
    });
  traces
    .command("tree")
    .description("runs that went on from others, below those, with the turn at which they left")
    .argument("[folder...]", "where the runs lie; left out: ./jobs and ./.forge/runs")
    .option("--all", "also runs that none went on from")
    .option("--json", "one JSON object a tree")
    .action(async (folders: string[], options: { all?: boolean; json?: boolean }) => {
      const { listForks } = await import("./list-runs.ts");
      process.exitCode = await listForks(folders, options);
    });
  registerKeeping(traces);
  registerSharing(traces);
}
