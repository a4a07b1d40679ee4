import { Option, type Command } from "commander";
import { oneOf } from "./one-of.ts";

/** One option of a command, as data. Its key in the table is its name: `maxCost` is `--max-cost`. Without a value it is a switch. */
interface OptionSpec {
  /** What it does, for the help and docs/commands.md. */
  readonly about: string;
  /** What the help shows for its value, such as `usd`. */
  readonly value?: string;
  /** The values that it takes. */
  readonly choices?: readonly string[];
  /** Reads its value. @throws ConfigError that names the option */
  readonly parse?: (value: string, option: string) => unknown;
  /** It may be given several times, and its value is the list. */
  readonly repeat?: true;
  /** It may be given without its value, and is true then. */
  readonly bare?: true;
  readonly required?: true;
  readonly default?: unknown;
  /** In words, what holds where it is left out. */
  readonly unset?: string;
  /** A letter. */
  readonly short?: string;
  /** What `--no-…` does; left out, neither is said. */
  readonly no?: string;
  /** The help shows it with `--help-all` alone. */
  readonly rare?: true;
  /** Heading of the help from this option on. */
  readonly group?: string;
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

type One<S> = S extends { parse: (value: string, option: string) => infer T }
  ? T
  : S extends { choices: readonly (infer C)[] }
    ? C
    : S extends { value: string }
      ? string
      : boolean;
type Given<S> = S extends { repeat: true } ? readonly One<S>[] : S extends { bare: true } ? One<S> | true : One<S>;
type Sure<T> = { [K in keyof T]: T[K] extends { required: true } | { default: unknown } ? K : never }[keyof T];

/** What a person gave of a table of options, as an action takes it. */
export type Flags<T extends OptionTable> = { readonly [K in Sure<T>]: Given<T[K]> } & {
  readonly [K in Exclude<keyof T, Sure<T>>]?: Given<T[K]>;
};

/** Programs of which only the list of commands is shown: making some four hundred options would be half of the time. */
export const listedOnly = new WeakSet<Command>();

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** Gives a command the options of its table. */
export function withOptions(command: Command, table: OptionTable): Command {
  if (listedOnly.has(rootOf(command))) return command;
  for (const [key, spec] of Object.entries(table)) {
    const { short, value, bare, choices, parse, repeat, required, no, group, rare } = spec;
    if (group !== undefined) command.optionsGroup(`${group}:`);
    const long = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const read = parse ?? (choices && ((text: string, option: string) => oneOf(option, text, choices)));
    const option = new Option(
      `${short === undefined ? "" : `-${short}, `}${long}${value === undefined ? "" : bare ? ` [${value}]` : ` <${value}>`}`,
      meaning(spec),
    );
    if (rare) rareOptions.add(option);
    if (spec.default !== undefined) option.default(spec.default);
    if (required) option.makeOptionMandatory();
    if (read !== undefined || repeat)
      option.argParser((text: string, before: unknown) => {
        const one = read === undefined ? text : read(text, long);
        return repeat ? [...((before ?? []) as readonly unknown[]), one] : one; // commander hands over what was returned last time
      });
    command.addOption(option);
    if (no !== undefined) command.addOption(new Option(`--no-${long.slice(2)}`, no));
  }
  if (Object.values(table).some(({ rare }) => rare)) {
    command.addOption(new Option("--help-all").hideHelp()).on("option:help-all", () => {
      shownAll.add(command);
      command.help();
    });
    command.addHelpText("after", () => (shownAll.has(command) ? "" : `\nMore options: ${pathOf(command)} --help-all`));
  }
  return command;
}

const rareOptions = new WeakSet<Option>();
const shownAll = new WeakSet<Command>();

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name());

/** The options that the help of a command has now. */
export const helpedOptions = (command: Command): Option[] =>
  command.options.filter((option) => !option.hidden && (shownAll.has(command) || !rareOptions.has(option)));

/** What the help says of an option besides its name. */
function meaning({ about, choices, unset, repeat }: OptionSpec): string {
  const more = [choices?.join(", "), repeat && "repeatable", unset && `default: ${unset}`].filter((part) => typeof part === "string");
  return more.length > 0 ? `${about} (${more.join("; ")})` : about;
}
