import { Option, type Command } from "commander";
import { ConfigError } from "../../harness/errors.ts";

/**
 * Options that have become commands or other options: the old spelling ends with a sentence that names the new one, and exit code 2.
 * @param moved by the option as commander declares it (`--bisect`, `--from [turn]`), what a person writes in its place
 */
export function movedOptions(command: Command, moved: Readonly<Record<string, string>>): Command {
  for (const [flags, now] of Object.entries(moved)) {
    const option = new Option(flags).hideHelp();
    command.addOption(option).on(`option:${option.name()}`, () => {
      throw new ConfigError(`${option.long} has moved: write ${now}`);
    });
  }
  return command;
}

/** Of a command whose output has become brief by itself. */
export const notBrief = (now: string): string => `${now}, which is brief; --all shows each run`;
