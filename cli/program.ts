import { Command, CommanderError, Option, type Argument } from "commander";
import { ConfigError } from "../harness/errors.ts";
import { helpWidth, sentence, withHelp } from "./shared/command-help.ts";
import { withJobPlaces } from "./shared/job-places.ts";
import { helpedOptions, listedOnly } from "./shared/option-table.ts";
import { endQuietly } from "./shared/lost-output.ts";
import { openAlso } from "../traces/store/open-bundle.ts";
import { loadAtOnce } from "../harness/package/load-at-once.ts";
import { forgeVersion } from "../harness/package/package-root.ts";

type Register = (program: Command) => void;

/** In the order of the help, below its headings. Each is loaded when it is asked for, and all where it is not clear which. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Register>>>>> = {
  Measure: {
    bench: async () => (await import("./bench/command.ts")).registerBench,
    agents: async () => (await import("./agents/command.ts")).registerAgents,
    jobs: async () => (await import("./jobs/command.ts")).registerJobs,
    compare: async () => (await import("./compare/command.ts")).registerCompare,
    report: async () => (await import("./report/command.ts")).registerReport,
    view: async () => (await import("./view/command.ts")).registerView,
  },
  Understand: {
    replay: async () => (await import("./replay/command.ts")).registerReplay,
    analyze: async () => (await import("./analyze/command.ts")).registerAnalyze,
    traces: async () => (await import("./traces/command.ts")).registerTraces,
    trial: async () => (await import("./trial/command.ts")).registerTrial,
  },
  Improve: {
    issues: async () => (await import("./issues/command.ts")).registerIssues,
    improve: async () => (await import("./improve/command.ts")).registerImprove,
  },
  "Every day": {
    run: async () => (await import("./run/command.ts")).registerRun,
  },
  "Set up": {
    doctor: async () => (await import("./doctor/command.ts")).registerDoctor,
    task: async () => (await import("./task/command.ts")).registerTask,
    images: async () => (await import("./images/command.ts")).registerImages,
    config: async () => (await import("./config/command.ts")).registerConfig,
    demo: async () => (await import("./demo/command.ts")).registerDemo,
    sim: async () => (await import("./sim/command.ts")).registerSim,
  },
};

/** The command line with those commands that its first word may mean. */
export async function createProgram(first = ""): Promise<Command> {
  const program = new Command("forge")
    .description("A lab for the harness of coding agents, and the everyday agent that comes out of it.")
    .version(forgeVersion(), "-V, --version")
    .option("--debug", "show the stack of an error")
    .configureOutput({ outputError: (text, write) => write(asSentence(text)) })
    .configureHelp({
      helpWidth: helpWidth(),
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map((argument) => humanReadable(argument))].join(" "),
      commandDescription: (command) => sentence(command.description()),
      visibleCommands: (command) => [...command.commands], // without help, which whoever reads this has found
      visibleOptions: helpedOptions,
    })
    .showHelpAfterError("(forge --help lists commands and options)")
    .exitOverride();
  if (first === "--help" || first === "-h") listedOnly.add(program);
  withHelp(program, {
    examples: [
      ["forge bench --config bare --config mine.yaml --model local/NAME --repeats 3"],
      ["forge compare 1a2b", "which configuration is better, and how sure that is"],
      ['forge run "make the failing test pass"', "the same agent in your own repository"],
    ],
    exitCodes: "0 ok · 1 no, or a check failed · 2 usage or configuration · 3 not possible here · 4 damaged input · 130 interrupted",
  });
  const named = Object.values(groups).find((group) => Object.hasOwn(group, first))?.[first];
  for (const [heading, group] of named ? [["", { [first]: named }] as const] : Object.entries(groups)) {
    program.commandsGroup(heading === "" ? "" : `${heading}:`);
    for (const [name, load] of Object.entries(group)) {
      loadAtOnce(import.meta.url, `./${name}/command.js`);
      (await load())(program);
    }
  }
  for (const command of [program, ...commandsOf(program)]) {
    command.enablePositionalOptions(); // what follows a command is the command's, and not an option of the same name before it
    if (command === program) continue;
    command.exitOverride().addOption(new Option("--debug").hideHelp());
    command.hook("preSubcommand", refuseMisplaced);
    withJobPlaces(command);
  }
  return program;
}

/** Parses the arguments, runs the command and sets the exit code. Never throws. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = await createProgram(args[0] ?? "--help");
  process.stdout.on("error", endQuietly);
  openAlso(async (file, folder, o) => (await import("../evals/archive/open-archive.ts")).openArchive(file, folder, o));
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    // commander has said what is wrong; asking for help or the version is no error
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else process.exitCode = (await import("./shared/report-error.ts")).reportError(error, args.includes("--debug"));
  }
}

const humanReadable = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** `forge replay --json dry …` would lose its `--json`: the option is that of `forge replay`. */
function refuseMisplaced(command: Command, subcommand: Command): void {
  const given = command.options.find(
    (option) => option.long !== "--debug" && command.getOptionValueSource(option.attributeName()) === "cli",
  );
  if (given)
    throw new ConfigError(`${given.long} comes before ${subcommand.name()}, which would not see it: write it after ${subcommand.name()}.`);
}

/** commander's message on one line, finished. */
function asSentence(text: string): string {
  const line = text.trim().replace(/\s*\n\(Did you mean (.*)\?\)$/, "; did you mean $1?");
  return /[.?]$/.test(line) ? `${line}\n` : `${line}.\n`;
}

function commandsOf(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...commandsOf(child as Command)]);
}
