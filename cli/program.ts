import { Command, CommanderError, Option } from "commander";
import { endQuietly } from "./shared/lost-output.ts";
import { forgeVersion } from "../harness/package/package-root.ts";

type Register = (program: Command) => void;

/** In the order of the help. Each is loaded when it is asked for, and all where it is not clear which. */
const commands: Readonly<Record<string, () => Promise<Register>>> = {
  bench: async () => (await import("./bench/command.ts")).registerBench,
  jobs: async () => (await import("./jobs/command.ts")).registerJobs,
  compare: async () => (await import("./compare/command.ts")).registerCompare,
  report: async () => (await import("./report/command.ts")).registerReport,
  view: async () => (await import("./view/command.ts")).registerView,
  replay: async () => (await import("./replay/command.ts")).registerReplay,
  traces: async () => (await import("./traces/command.ts")).registerTraces,
  run: async () => (await import("./run/command.ts")).registerRun,
  task: async () => (await import("./task/command.ts")).registerTask,
  trial: async () => (await import("./trial/command.ts")).registerTrial,
  sim: async () => (await import("./sim/command.ts")).registerSim,
  demo: async () => (await import("./demo/command.ts")).registerDemo,
  config: async () => (await import("./config/command.ts")).registerConfig,
  images: async () => (await import("./images/command.ts")).registerImages,
};

const examples = `
Examples:
  forge bench --agent oracle                      the built-in suite with its reference solutions
  forge bench --config bare --config standard --model openai/gpt-5-mini --repeats 3
  forge compare jobs/1a2b3c                       which configuration is better, and how sure that is
  forge report jobs/1a2b3c --html report.html     the same as a page to send around
  forge view                                      jobs and runs in the browser
  forge replay jobs/1a2b3c                        every recorded run again, exactly, without a model
  forge run "make the failing test pass"          the same agent in your own repository

Exit codes: 0 ok · 1 the answer is no · 2 usage or configuration · 3 cannot answer here · 4 damaged input · 130 interrupted`;

/** Parses the arguments, runs the command and sets the exit code. Never throws. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = new Command("forge")
    .description("A lab for the harness of coding agents, and the everyday agent that comes out of it.")
    .version(forgeVersion(), "-V, --version")
    .option("--debug", "show the stack of an error")
    .enablePositionalOptions() // what stands behind a command is the command's, and not an option of the same name before it
    .addHelpText("after", examples)
    .configureOutput({ outputError: (text, write) => write(asSentence(text)) })
    .showHelpAfterError("(forge --help shows what there is)")
    .exitOverride();
  const [first = ""] = args;
  const named = Object.hasOwn(commands, first) ? commands[first] : undefined;
  const loaded = await Promise.all((named ? [named] : Object.values(commands)).map((load) => load()));
  for (const register of loaded) register(program);
  for (const command of commandsOf(program)) command.exitOverride().addOption(new Option("--debug").hideHelp());
  process.stdout.on("error", endQuietly);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    // commander has said what is wrong; asking for help or the version is no error
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else process.exitCode = (await import("./shared/report-error.ts")).reportError(error, args.includes("--debug"));
  }
}

/** commander's message on one line, finished. */
function asSentence(text: string): string {
  const line = text.trim().replace(/\s*\n\(Did you mean (.*)\?\)$/, "; did you mean $1?");
  return /[.?]$/.test(line) ? `${line}\n` : `${line}.\n`;
}

function commandsOf(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...commandsOf(child as Command)]);
}
