import { type Command, Help } from "commander";

type Example = readonly [command: string, what?: string];

/** What the help of a command says after its options. */
interface CommandHelp {
  /** Sentences; wrapped to the width of the terminal. */
  readonly details?: string;
  readonly examples: readonly [Example] | readonly [Example, Example] | readonly [Example, Example, Example];
  /** In the form `0 all hold · 1 one does not`. */
  readonly exitCodes?: string;
}

/** A line of the help is no longer than this, however wide the terminal is. */
export const helpWidth = (): number => Math.min(100, process.stdout.columns || 80);

/** With a capital letter and a full stop. */
export const sentence = (text: string): string => `${(text[0] ?? "").toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

/** Adds to a command's help what it does beyond its options, examples and exit codes. */
export function withHelp(command: Command, { details, examples, exitCodes }: CommandHelp): Command {
  return command.addHelpText("after", () => {
    const wrap = (text: string): string => new Help().boxWrap(text, helpWidth());
    const paragraphs = [
      ...(details === undefined ? [] : [wrap(details)]),
      ["Examples:", ...examples.map(exampleLine(examples))].join("\n"),
      ...(exitCodes === undefined ? [] : [wrap(`Exit codes: ${exitCodes}`)]),
    ];
    return `\n${paragraphs.join("\n\n")}`;
  });
}

/** A command and what it does, in two columns. */
function exampleLine(examples: readonly Example[]): (example: Example) => string {
  const width = Math.max(0, ...examples.filter(([, what]) => what !== undefined).map(([command]) => command.length));
  return ([command, what]) => (what === undefined ? `  ${command}` : `  ${command.padEnd(width)}   ${what}`);
}
