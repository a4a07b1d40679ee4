import type { Command } from "commander";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";
import { doctorOptions, type DoctorFlags } from "./options.ts";

export function registerDoctor(program: Command): void {
  const doctor = program
    .command("doctor")
    .summary("check this machine and the model")
    .description("Check what Forge needs on this machine and of the configured model: what works, what does not, why, and what to do.")
    .action(async (options: DoctorFlags) => {
      const { runDoctor } = await import("./run-doctor.ts");
      process.exitCode = await runDoctor(options);
    });
  withOptions(doctor, doctorOptions);
  withHelp(doctor, {
    details:
      "It checks Node, git, the sandboxes with their images, which keys are set (never their values), and the model of forge run or of --model: what is known of it, its key and its server. Nothing is installed, changed or paid for; --call alone calls the model, and prints first what that costs at most.",
    examples: [
      ["forge doctor", "this machine, and the model of forge run"],
      ["forge doctor --model anthropic/claude-sonnet-5-5 --call", "calls the model once in each way"],
      ["forge doctor --json"],
    ],
    exitCodes: "0 nothing that is needed is missing · 1 something is",
  });
}
