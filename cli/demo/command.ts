import type { Command } from "commander";
import type { DemoFlags } from "./show-demo.ts";

const help = `
The runs come with Forge: no key, no Docker and no network are needed, and nothing is spent. Afterwards they lie in the folder, for any other command.
Exit code: that of the replay, 0 where every run is exact.

Examples:
  forge demo
  forge demo --out /tmp/tour
  forge traces show forge-demo/job/trials/*/*/1/attempt-1    afterwards: what the model did, turn by turn`;

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("recorded runs of a real model: compared, replayed exactly, asked about a change, and reported, in half a minute")
    .option("--out <folder>", "where the runs, the change and the report are put", "forge-demo")
    .addHelpText("after", help)
    .action(async (options: DemoFlags) => {
      const { showDemo } = await import("./show-demo.ts");
      process.exitCode = await showDemo(options);
    });
}
