import type { Command } from "commander";
import { registerExport } from "./export-command.ts";
import { registerRegrade } from "./regrade-command.ts";
import { registerVerify } from "./verify-command.ts";
import { loadAtOnce } from "../../harness/package/load-at-once.ts";
import { benchOptions, type BenchFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { movedOptions } from "../shared/moved-options.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerBench(program: Command): void {
  const bench = program
    .command("bench")
    .summary("run configurations over tasks")
    .description(
      "Run configurations over a suite: builtin (default), demo, a folder, a manifest, or git+<url>@<commit>#<folder>. Run the same command again to resume.",
    )
    .argument("[suite]", undefined, "builtin")
    .action(async (suite: string, options: BenchFlags) => {
      loadAtOnce(import.meta.url, "./run-bench.js");
      const { runBench } = await import("./run-bench.ts");
      process.exitCode = await runBench(suite, options);
    });
  withOptions(bench, benchOptions);
  movedOptions(bench, {
    "--watch [job]": "forge jobs watch JOB",
    "--memory-bound [size]": "--bound memory=SIZE",
    "--storage-bound [size]": "--bound storage=SIZE",
    "--pids-bound [n]": "--bound pids=N",
    "--image-cache [size]": "forge images prune --keep SIZE, after the job",
  });
  withHelp(bench, {
    examples: [
      ["forge bench --agent oracle", "reference solutions: every task must pass"],
      ["forge bench my-tasks/ --config bare --config mine.yaml --repeats 3"],
      ["forge bench --ablate standard --until-decided", "which of its middlewares pay"],
    ],
  });
  registerRegrade(bench);
  registerExport(bench);
  registerVerify(bench);
}
