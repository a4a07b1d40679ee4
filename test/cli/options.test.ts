import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { benchOptions } from "../../cli/bench/options.ts";
import { createProgram } from "../../cli/program.ts";
import { ConfigError } from "../../harness/errors.ts";
import { commandsPage } from "../../scripts/docs/generate-commands.ts";

interface Named {
  readonly path: string;
  readonly command: Command;
}

const below = (path: string, command: Command): Named[] => [
  { path, command },
  ...command.commands.flatMap((child) => below(`${path} ${child.name()}`, child as Command)),
];
const commands = below("forge", await createProgram());
const page = readFileSync("docs/commands.md", "utf8");

/** What a command's option takes: a number, a size, a time, or one of the words that its meaning lists. */
const candidates = ({ description }: Option): string[] => ["3", "20GB", "7d", "2,10", ...description.split(/[^\w=-]+/)];

function help(command: Command): string {
  const said: string[] = [];
  const before = command.configureOutput();
  command.configureOutput({ ...before, writeOut: (text) => void said.push(text) });
  command.outputHelp();
  command.configureOutput(before);
  return said.join("");
}

/** What `--help-all` prints. */
function helpAll(command: Command): string {
  const said: string[] = [];
  const before = command.configureOutput();
  command.configureOutput({ ...before, writeOut: (text) => void said.push(text) });
  expect(() => command.parseOptions(["--help-all"])).toThrow("(outputHelp)");
  command.configureOutput(before);
  return said.join("");
}

it.each(["bench", "improve"])("the help of forge %s has at most forty lines in a terminal of 80 columns", async (name) => {
  const command = (await createProgram(name)).commands[0] as Command; // the one that was asked for
  expect(help(command).trimEnd().split("\n").length).toBeLessThanOrEqual(40);
});

const visible = (command: Command): readonly Option[] => command.options.filter(({ hidden }) => !hidden);

describe.each(commands)("$path", ({ path, command }) => {
  it("shows at most three examples of itself, in lines of at most 80 columns", () => {
    const text = help(command);
    const lines = text.split("\n");
    const [, ...after] = lines.slice(lines.indexOf("Examples:"));
    const examples = after.slice(0, after.includes("") ? after.indexOf("") : undefined).filter((line) => /^ {2}\S/.test(line));
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.length).toBeLessThanOrEqual(3);
    expect(examples.join("\n")).toContain(path);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("says what it is for in a sentence", () => {
    expect(command.description() === "" ? "" : help(command)).toMatch(/^$|\n\n[A-Z][^]*\.\n/);
  });

  it("has each of its options in its help, or names the option that shows the rare ones too", () => {
    const text = help(command);
    const absent = visible(command).filter(({ flags }) => !text.includes(flags));
    if (absent.length === 0) return;
    expect(text).toContain(`More options: ${path} --help-all`);
    expect(absent.filter(({ flags }) => !helpAll(command).includes(flags))).toEqual([]);
  });

  it("takes each of its options, and names the option where its value is wrong", () => {
    for (const option of visible(command)) {
      const { long, required, optional, parseArg } = option;
      if (long === undefined || long === "--version") continue;
      if (!required && !optional) expect(command.parseOptions([long]).unknown).toEqual([]);
      else {
        const read = (value: string): unknown => (parseArg ? parseArg(value, undefined) : value);
        const fits = candidates(option).find((value) => {
          try {
            return read(value) !== undefined;
          } catch {
            return false;
          }
        });
        expect(fits, `a value of ${long}`).toBeDefined();
        expect(command.parseOptions([`${long}=${fits}`]).unknown).toEqual([]);
        try {
          read("");
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect((error as Error).message).toContain(`${long}`);
          expect((error as Error).message).toMatch(/: expected .*, got ""\.$/);
        }
      }
      expect(command.getOptionValueSource(option.attributeName())).toBe("cli");
    }
  });

  it("has each of its options in docs/commands.md", () => {
    if (command.parent === null) return expect(page).toContain("`--debug`");
    const [, own = ""] = page.split(new RegExp(`^##+ ${path}$`, "m"));
    const [section = ""] = own.split(/^##/m);
    const documented = [...section.matchAll(/^\| `(-.+?)` +\|/gm)].map(([, flags = ""]) => flags.replaceAll("\\|", "|"));
    expect(documented).toEqual(visible(command).map(({ flags }) => flags));
  });
});

it("docs/commands.md is what the options of the commands make (else: npx jiti scripts/docs/generate-commands.ts)", async () => {
  expect(page).toBe(await commandsPage());
});

it("no command declares an option outside its table", () => {
  const declaring = readdirSync("cli", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && /\.(required|add)?option\(/i.test(readFileSync(join("cli", path), "utf8")))
    .toSorted();
  expect(declaring).toEqual(["program.ts", "shared/moved-options.ts", "shared/option-table.ts"]);
});

describe("a spelling that has moved", () => {
  it.each([
    ["replay --dry --config mine.yaml RUN", "--dry has moved: write forge replay dry --config FILE RUN…"],
    ["replay --config mine.yaml --live RUN", "--config has moved: write forge replay dry --config FILE RUN… (or forge replay live"],
    ["replay --live --config mine.yaml RUN", "--live has moved: write forge replay live --config FILE RUN"],
    ["replay RUN --tools", "--tools has moved: write forge replay tools RUN…"],
    ["replay RUN --current", "--current has moved: write forge replay current RUN…"],
    ["replay RUN --verify", "--verify has moved: write forge traces verify RUN…"],
    ["replay --bisect RUN OTHER", "--bisect has moved: write forge traces diff RUN OTHER"],
    ["bench --watch 1a2b", "--watch has moved: write forge jobs watch JOB"],
    ["bench --memory-bound 4GB", "--memory-bound has moved: write --bound memory=SIZE"],
    ["bench --storage-bound=4GB", "--storage-bound has moved: write --bound storage=SIZE"],
    ["bench --pids-bound 50", "--pids-bound has moved: write --bound pids=N"],
    ["bench --image-cache 20GB", "--image-cache has moved: write forge images prune --keep SIZE, after the job"],
  ])("ends %s with the new one", async (line, sentence) => {
    const args = line.split(" ");
    const refused: unknown = await (await createProgram(args[0])).parseAsync(args, { from: "user" }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as ConfigError).message).toContain(sentence);
    expect((refused as ConfigError).exitCode).toBe(2);
  });
});

it("an option of a command is refused before a subcommand, which would not see it", async () => {
  const program = await createProgram("replay");
  await expect(program.parseAsync("replay --json dry --config bare RUN".split(" "), { from: "user" })).rejects.toThrow(
    "--json comes before dry, which would not see it: write it after dry.",
  );
});

it("--bound reads one limit, in MiB as a job's config.json keeps it", () => {
  const read = (value: string): unknown => benchOptions.bound.parse(value, "--bound");
  expect(["memory=4GB", "storage=20GB", "pids=500"].map(read)).toEqual([{ memoryMb: 3814 }, { storageMb: 19_073 }, { pids: 500 }]);
  expect(() => read("memory=4")).toThrow('--bound memory: expected a size such as 500MB or 20GB, got "4".');
  expect(() => read("cpus=4")).toThrow('--bound: expected memory=4GB, storage=20GB or pids=500, got "cpus=4".');
});
