import type { Command } from "commander";
import { ConfigError } from "../../harness/errors.ts";
import {
  dryOptions,
  liveOptions,
  replayOptions,
  toolsOptions,
  type DryFlags,
  type LiveFlags,
  type ReplayFlags,
  type ToolsFlags,
} from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { movedOptions, notBrief } from "../shared/moved-options.ts";
import { withOptions } from "../shared/option-table.ts";

const runs = "a run's folder, or a job's for all its runs, a bundle, or an archive of a job";

export function registerReplay(program: Command): void {
  const command = program
    .command("replay")
    .summary("run recorded runs again, without a model")
    .description("Run recorded runs again without model, network or container: each is exact, or has a first place where it differs.")
    .argument("<run...>", runs)
    .action(async (folders: string[], options: ReplayFlags) => {
      const { replay } = await import("./replay-runs.ts");
      process.exitCode = await replay(folders, options);
    });
  withOptions(command, replayOptions);
  const aboutConfig = "forge replay dry --config FILE RUN… (or forge replay live --config FILE RUN)";
  movedOptions(command, {
    "--dry": "forge replay dry --config FILE RUN…",
    "--live": "forge replay live --config FILE RUN",
    "--config [file]": aboutConfig,
    "--watch": "forge replay dry --watch --config FILE RUN…",
    "--markdown": "forge replay dry --markdown --config FILE RUN…",
    "--tools": "forge replay tools RUN…",
    "--current": "forge replay current RUN…",
    "--verify": "forge traces verify RUN…",
    "--bisect": "forge traces diff RUN OTHER",
    "--brief": notBrief("forge replay RUN…"),
  });
  withHelp(command, {
    examples: [
      ["forge replay jobs/1a2b3c", "every run again, exactly"],
      ["forge replay dry --config mine.yaml jobs/1a2b3c", "what mine.yaml would change, free"],
      ["forge replay live --config mine.yaml RUN", "and how that run would continue"],
    ],
    exitCodes: "0 every run is exact · 1 one is not · 3 one cannot be replayed · 4 one is damaged",
  });
  registerModes(command);
}

function registerModes(replay: Command): void {
  const dry = replay
    .command("dry")
    .description("what another configuration would have done in recorded runs, from the recordings alone")
    .argument("<run...>", runs)
    .action(async (folders: string[], options: DryFlags) => {
      const { config, markdown, json, watch } = options;
      if (markdown && json) throw new ConfigError("--markdown and --json are two forms; give one of them.");
      if (!watch) {
        const { dryReplay } = await import("./dry-replay.ts");
        process.exitCode = await dryReplay(folders, options);
        return;
      }
      const { watchDry } = await import("./watch-dry.ts");
      const passed = (["trust", "json", "markdown"] as const).filter((key) => options[key]).map((key) => `--${key}`);
      process.exitCode = await watchDry(config, ["replay", "dry", "--config", config, ...passed, "--", ...folders]);
    });
  withHelp(withOptions(dry, dryOptions), {
    examples: [
      ["forge replay dry --config mine.yaml jobs/1a2b3c"],
      ["forge replay dry --config mine.yaml --watch jobs/1a2b3c", "edit and see"],
      ["forge replay dry --config standard jobs/1a2b3c --markdown"],
    ],
  });
  const live = replay
    .command("live")
    .description("a recorded run as it was up to where another configuration acts differently, then live, as a new run")
    .argument("<run>", "a run's folder")
    .action(async (folder: string, options: LiveFlags) => {
      const { liveReplay } = await import("./live-replay.ts");
      process.exitCode = await liveReplay([folder], options);
    });
  withHelp(withOptions(live, liveOptions), {
    examples: [["forge replay live --config mine.yaml RUN"], ["forge replay live --config mine.yaml --from 7 RUN", "live from turn 7 on"]],
  });
  const tools = replay
    .command("tools")
    .description("carry the recorded tool calls out again in fresh sandboxes, without a model, and verify the work")
    .argument("<run...>", runs)
    .action(async (folders: string[], options: ToolsFlags) => {
      const { replayTools } = await import("./replay-tools.ts");
      process.exitCode = await replayTools(folders, options);
    });
  withHelp(withOptions(tools, toolsOptions), {
    details:
      "A run of another agent: the agent itself is started again, its requests are answered from the recording, and the first that differs ends the replay with a diff. No model is asked.",
    examples: [
      ["forge replay tools RUN"],
      ["forge replay tools --times 3 jobs/1a2b3c", "and which steps vary by themselves"],
      ["forge replay tools --agent claude-code@2.1.331 RUN", "what that version of an agent asks otherwise"],
    ],
  });
  const current = replay
    .command("current")
    .description("with the current prompts, tools and middleware in place of the recorded ones: what has changed since")
    .argument("<run...>", runs)
    .action(async (folders: string[], options: ReplayFlags) => {
      const { replay: replayRuns } = await import("./replay-runs.ts");
      process.exitCode = await replayRuns(folders, { ...options, current: true });
    });
  withHelp(withOptions(current, replayOptions), { examples: [["forge replay current jobs/1a2b3c"]] });
  movedOptions(current, { "--brief": notBrief("forge replay current RUN…") });
}
