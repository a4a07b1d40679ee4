import type { Command } from "commander";
import { demoOptions, type DemoFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerDemo(program: Command): void {
  const demo = program
    .command("demo")
    .summary("tour of recorded runs, no key")
    .description("Recorded runs of a real model: compared, replayed exactly, replayed with a change, and reported, in half a minute.")
    .action(async (options: DemoFlags) => {
      const { showDemo } = await import("./show-demo.ts");
      process.exitCode = await showDemo(options);
    });
  withOptions(demo, demoOptions);
  withHelp(demo, {
    details:
      "The runs come with Forge: no key, no Docker and no network are needed, and nothing is spent. Afterwards they are in the folder, for any other command.",
    examples: [
      ["forge demo"],
      ["forge demo --all --out tour", "each command's whole output"],
      ["forge traces list forge-demo/job", "afterwards: the runs"],
    ],
    exitCodes: "that of the replay: 0 every run is exact",
  });
}
