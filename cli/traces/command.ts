import type { Command } from "commander";
import { registerKeeping } from "./keep/command.ts";
import {
  diffOptions,
  indexOptions,
  listOptions,
  searchOptions,
  showOptions,
  statsOptions,
  tailOptions,
  treeOptions,
  verifyOptions,
  type ListFlags,
  type SearchFlags,
  type ShowFlags,
  type TreeFlags,
  type VerifyFlags,
} from "./options.ts";
import { registerSharing } from "./share/command.ts";
import { withHelp } from "../shared/command-help.ts";
import { movedOptions, notBrief } from "../shared/moved-options.ts";
import { withOptions } from "../shared/option-table.ts";

const oneOrAll = "a run's folder, or a job's for all its runs";
const everywhere = `${oneOrAll}; left out: ./jobs and ./.forge/runs`;

export function registerTraces(program: Command): void {
  const traces = program
    .command("traces")
    .summary("read, search and keep recorded runs")
    .description("List, read and look after recorded runs. A run's folder holds its trace; a job's folder means all its runs.");
  withHelp(traces, {
    examples: [
      ["forge traces list", "every run below ./jobs and ./.forge/runs"],
      ["forge traces show RUN | less -R", "turn by turn"],
      ["forge traces diff RUN OTHER", "the first step in which they differ"],
    ],
  });
  registerReading(traces);
  registerChecking(traces);
  registerKeeping(traces);
  registerSharing(traces);
}

function registerReading(traces: Command): void {
  traces.commandsGroup("Read:");
  const list = traces
    .command("list")
    .description("a line a run, the newest first, from the ends of each trace: nothing is checked (verify does)")
    .argument("[folder...]", everywhere)
    .action(async (folders: string[], options: ListFlags) => {
      const { listRuns } = await import("./list-runs.ts");
      process.exitCode = await listRuns(folders, options);
    });
  withHelp(withOptions(list, listOptions), { examples: [["forge traces list"], ["forge traces list jobs/1a2b3c -n 20"]] });
  const show = traces
    .command("show")
    .description("a run for a reader, turn by turn; long texts are cut")
    .argument("<run>", "a run's folder")
    .action(async (run: string, options: ShowFlags) => {
      const { showRun } = await import("./show-run.ts");
      process.exitCode = await showRun(run, options);
    });
  withHelp(withOptions(show, showOptions), {
    examples: [
      ["forge traces show RUN | less -R"],
      ["forge traces show RUN --step 7", "one turn, nothing cut"],
      ['forge traces show RUN --grep "not found"', "the events that contain it"],
    ],
  });
  const tail = traces
    .command("tail")
    .description("a run's events as they are written, until it ends")
    .argument("<run>", "a run's folder, or a job's for the newest run that is going")
    .action(async (run: string, options: { json?: boolean }) => {
      const { tailRun } = await import("./tail-run.ts");
      process.exitCode = await tailRun(run, options);
    });
  withHelp(withOptions(tail, tailOptions), { examples: [["forge traces tail jobs/1a2b3c", "what its newest run does now"]] });
  const search = traces
    .command("search")
    .description("the events that contain all the words, the newest first; quotes keep words together, a star matches any ending")
    .argument("<text>", "what to look for, whatever its case")
    .argument("[folder...]", everywhere)
    .action(async (text: string, folders: string[], options: SearchFlags) => {
      const { searchRuns } = await import("./search-runs.ts");
      process.exitCode = await searchRuns(text, folders, options);
    });
  withHelp(withOptions(search, searchOptions), {
    examples: [[`forge traces search '"no such file" pytest'`], ["forge traces search time* jobs/1a2b3c --type tool.result"]],
  });
  const index = traces
    .command("index")
    .description("read new runs into .forge/index.db, which list and search use; it may be deleted at any time")
    .argument("[folder...]", "where the runs are; left out: ./jobs and ./.forge/runs")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { indexRuns } = await import("./search-runs.ts");
      process.exitCode = await indexRuns(folders, options);
    });
  withHelp(withOptions(index, indexOptions), { examples: [["forge traces index"], ["forge traces index jobs"]] });
  const stats = traces
    .command("stats")
    .description("sums over runs: ends, tokens, money, tools, middleware")
    .argument("<folder...>", oneOrAll)
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { traceStats } = await import("./trace-stats.ts");
      process.exitCode = await traceStats(folders, options);
    });
  withHelp(withOptions(stats, statsOptions), { examples: [["forge traces stats jobs/1a2b3c"]] });
  const tree = traces
    .command("tree")
    .description("runs that continue others, below those, with the turn at which they left")
    .argument("[folder...]", "where the runs are; left out: ./jobs and ./.forge/runs")
    .action(async (folders: string[], options: TreeFlags) => {
      const { listForks } = await import("./list-runs.ts");
      process.exitCode = await listForks(folders, options);
    });
  withHelp(withOptions(tree, treeOptions), { examples: [["forge traces tree"], ["forge traces tree .forge/runs --all"]] });
}

function registerChecking(traces: Command): void {
  traces.commandsGroup("Check:");
  const verify = traces
    .command("verify")
    .description("whether traces are whole: hashes, blobs, requests, seals")
    .argument("<folder...>", oneOrAll)
    .action(async (folders: string[], options: VerifyFlags) => {
      const { replay } = await import("../replay/replay-runs.ts");
      process.exitCode = await replay(folders, { ...options, verify: true });
    });
  withHelp(withOptions(verify, verifyOptions), {
    examples: [["forge traces verify jobs/1a2b3c"], ["forge traces verify jobs/1a2b3c --all", "a line each run"]],
  });
  movedOptions(verify, { "--brief": notBrief("forge traces verify RUN…") });
  const diff = traces
    .command("diff")
    .description("the first step in which two runs differ, with a diff")
    .argument("<run...>", "two runs' folders")
    .action(async (folders: string[], options: { json?: boolean }) => {
      const { diffRuns } = await import("./diff-runs.ts");
      process.exitCode = await diffRuns(folders, options);
    });
  withHelp(withOptions(diff, diffOptions), {
    examples: [["forge traces diff RUN OTHER"]],
    exitCodes: "0 they do not differ · 1 they do · 4 one is damaged",
  });
}
