import type { Command } from "commander";
import { showOptions, type ShowFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

const examples = [["forge config show", "what forge run uses here"], ["forge config show --config my.yaml --json"]] as const;

export function registerConfig(program: Command): void {
  const config = program.command("config").summary("show the configuration in force").description("The configuration in force.");
  withHelp(config, { examples });
  const show = config
    .command("show")
    .description("print every value, and the file or flag that set it")
    .action(async (options: ShowFlags) => {
      const { showConfig } = await import("./show-config.ts");
      await showConfig(options);
    });
  withOptions(show, showOptions);
  withHelp(show, {
    details:
      "Later wins: the preset standard, ~/.forge/config.yaml, forge.yaml, <repo>/.forge/config.yaml, <repo>/.forge/settings.local.yaml, --config, flags.",
    examples,
  });
}
