import type { Command } from "commander";

const help = `
Later wins: the preset standard, ~/.forge/config.yaml, forge.yaml, <repo>/.forge/config.yaml, <repo>/.forge/settings.local.yaml, --config, flags.

Examples:
  forge config show                       what \`forge run\` uses here, and the file that set each value
  forge config show --config my.yaml --json`;

export function registerConfig(program: Command): void {
  const config = program.command("config").description("the configuration in force");
  config
    .command("show")
    .description("print every value and what set it")
    .option("--config <file|preset>", "a configuration file or a preset's name")
    .option("--model <provider/name>", "the model")
    .option("--json", "one JSON object")
    .addHelpText("after", help)
    .action(async (options: { config?: string; model?: string; json?: boolean }) => {
      const { showConfig } = await import("./show-config.ts");
      await showConfig(options);
    });
}
