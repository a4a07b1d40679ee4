import type { Command } from "commander";
import { ConfigError } from "../../harness/errors.ts";
import { collectVariables, wholeNumber } from "../shared/option-values.ts";

const help = `
A run's folder holds trace.jsonl; a job's folder stands for all its runs, as does a bundle (forge traces bundle).

Examples:
  forge replay jobs/1a2b3c                     run every recorded run again, without model, network or container
  forge replay jobs/1a2b3c --brief             only those that are not exact, and the sum
  forge replay jobs/1a2b3c --verify            check hashes, blobs, requests and seals only
  forge replay jobs/1a2b3c --current           with today's prompts and middleware: what has changed since
  forge replay --dry --config mine.yaml jobs/1a2b3c
                                               what mine.yaml would have done in every run, free of charge
  forge replay --dry --watch --config mine.yaml jobs/1a2b3c
                                               the same again each time that mine.yaml or its middleware is saved
  forge replay --live --config mine.yaml RUN   as recorded up to where mine.yaml acts differently, then live: a new run
  forge replay --tools --times 2 jobs/1a2b3c   every recorded call again, in fresh sandboxes, and the verdict
  forge replay --bisect RUN OTHER              the first step in which two runs differ
  forge replay .forge/runs/20260101-1200 --json`;

interface ReplayFlags {
  readonly verify?: boolean;
  readonly current?: boolean;
  readonly config?: string;
  readonly dry?: boolean;
  readonly markdown?: boolean;
  readonly watch?: boolean;
  readonly bisect?: boolean;
  readonly tools?: boolean;
  readonly live?: boolean;
  readonly from?: number;
  readonly task?: string;
  readonly yes?: boolean;
  readonly times?: number;
  readonly sandbox?: string;
  readonly taskEnv?: readonly string[];
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly brief?: boolean;
}

export function registerReplay(program: Command): void {
  program
    .command("replay")
    .description("run a recorded trace again without the model: exact, or the first place where it differs")
    .argument("<folder...>", "a run's folder, or a job's for all its runs")
    .option("--verify", "only check that the traces are whole (L0)")
    .option("--current", "use today's prompts, tools and middleware in place of the recorded ones, and say what changed")
    .option("--config <file>", "another configuration, or a preset: the first step that would differ, and where its middleware would act")
    .option("--dry", "with --config: answer from the recordings alone (the default)")
    .option("--watch", "with --config: ask again whenever the configuration, one that it extends, or a file of its middleware is saved")
    .option("--live", "with --config: as recorded up to the first turn that differs, then live in a fresh sandbox, as a new run (L3)")
    .option("--from <turn>", "with --live: go on live from this turn", wholeNumber)
    .option("--task <folder>", "with --tools or --live: the task, or a folder of tasks, where the job no longer tells")
    .option("--yes", "with --live: also where the model is paid for")
    .option("--tools", "carry the recorded calls out again in a fresh sandbox, and verify the work (L2)")
    .option("--times <n>", "with --tools: so often, to tell nondeterministic steps", wholeNumber)
    .option("--sandbox <kind>", "with --tools or --live: another kind than the trial's: docker, bubblewrap, local, local-unsafe")
    .option(
      "--task-env <name>",
      "with --tools or --live: a variable of your environment that the task may read; repeat it",
      collectVariables,
    )
    .option("--bisect", "two runs: the first step in which they differ")
    .option("--markdown", "with --config: a page")
    .option("--trust", "run a user's middleware that you have not run here before; from the trace where its file has changed or is gone")
    .option("--brief", "of the runs that are exact, or whole, the number only")
    .option("--json", "one JSON object a run, the summary last")
    .addHelpText("after", help)
    .action(async (folders: string[], options: ReplayFlags) => {
      checkFlags(options);
      const { config } = options;
      if (config !== undefined && options.live) {
        const { liveReplay } = await import("./live-replay.ts");
        process.exitCode = await liveReplay(folders, { ...options, config });
        return;
      }
      if (config !== undefined && options.watch) {
        const { watchDry } = await import("./watch-dry.ts");
        const passed = (["trust", "json", "markdown"] as const).filter((key) => options[key]).map((key) => `--${key}`);
        process.exitCode = await watchDry(config, ["replay", "--dry", "--config", config, ...passed, "--", ...folders]);
        return;
      }
      if (config !== undefined) {
        const { dryReplay } = await import("./dry-replay.ts");
        process.exitCode = await dryReplay(folders, { ...options, config });
        return;
      }
      if (options.tools) {
        const { replayTools } = await import("./replay-tools.ts");
        process.exitCode = await replayTools(folders, options);
        return;
      }
      if (options.bisect) {
        const { bisectRuns } = await import("./bisect-runs.ts");
        process.exitCode = await bisectRuns(folders, options);
        return;
      }
      const { replay } = await import("./replay-runs.ts");
      process.exitCode = await replay(folders, options);
    });
}

/** Levels exclude each other. */
function checkFlags(flags: ReplayFlags): void {
  const { verify, current, config, bisect, tools, dry, markdown, watch, json, live } = flags;
  const levels = [
    tools && "--tools",
    verify && "--verify",
    current && "--current",
    config !== undefined && "--config",
    bisect && "--bisect",
  ].filter((one) => typeof one === "string");
  if (levels.length > 1) throw new ConfigError(`${levels.join(" and ")} ask different questions; give one of them.`);
  const ofDry = dry ? "--dry" : markdown ? "--markdown" : watch ? "--watch" : undefined;
  if (config === undefined && ofDry) throw new ConfigError(`${ofDry} needs a configuration: --config mine.yaml`);
  if (live && (config === undefined || ofDry))
    throw new ConfigError(`--live needs --config, without --dry, --markdown and --watch: forge replay --live --config mine.yaml RUN`);
  const ofLive = (["from", "yes"] as const).find((key) => flags[key] !== undefined);
  if (!live && ofLive) throw new ConfigError(`--${ofLive} belongs to --live; add it.`);
  if (!tools && (flags.times !== undefined || (flags.sandbox !== undefined && !live)))
    throw new ConfigError(`${flags.times === undefined ? "--sandbox" : "--times"} belongs to --tools; add it.`);
  for (const [key, name] of [
    ["taskEnv", "--task-env"],
    ["task", "--task"],
  ] as const)
    if (!tools && !live && flags[key] !== undefined) throw new ConfigError(`${name} belongs to --tools or --live; add one of them.`);
  if (flags.brief && (config !== undefined || tools || bisect))
    throw new ConfigError("--brief is for replaying runs as they are; leave it out here.");
  if (markdown && json) throw new ConfigError("--markdown and --json are two forms; give one of them.");
}
