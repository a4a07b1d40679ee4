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
      ["Examples:", ...exampleLines(examples)].join("\n"),
      ...(exitCodes === undefined ? [] : [wrap(`Exit codes: ${exitCodes}`)]),
    ];
    return `\n${paragraphs.join("\n\n")}`;
  });
}

/** Commands and what they do: in two columns where all fit into the terminal, else behind each command, or below one that is long. */
function exampleLines(examples: readonly Example[]): readonly string[] {
  const line = ([command, what]: Example, width: number): string =>
    what === undefined ? `  ${command}` : `  ${command.padEnd(width)}   ${what}`;
  const fits = (text: string): boolean => text.length <= helpWidth();
  const longest = Math.max(0, ...examples.map(([command, what]) => (what === undefined ? 0 : command.length)));
  const aligned = examples.map((example) => line(example, longest));
  if (aligned.every(fits)) return aligned;
  return examples.map((example) => {
    const behind = line(example, 0);
    return fits(behind) ? behind : `  ${example.join("\n      ")}`;
  });
}
