import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as lab from "../../index.ts";
import * as kit from "../../testing.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- as a program in JavaScript calls them: with whatever it has
type Loose = Record<string, (...args: any[]) => unknown>;
const { ForgeError: _, ConfigError, CannotError: __, DamagedError: ___, InfraError: ____, z: _____, ...functions } = lab;
const all = { ...functions, ...kit } as unknown as Loose;

/** What stands before the options; a function that takes none is not here. */
const before: Readonly<Record<string, readonly unknown[]>> = {
  loadConfiguration: ["bare"],
  loadTasks: ["demo"],
  makeModel: [{}],
  makeSandbox: ["."],
  runOnce: [],
  runBench: [],
  compareJobs: [[]],
  replayRun: ["run"],
  analyzeRuns: [],
  runAgent: [{}, {}, {}],
  recordTrace: ["run"],
  replayTrace: [{}],
  runFixture: [],
  createFixtureSandbox: [],
  createFixtureTools: [{}],
  createScriptedModel: [[]],
  runTool: [{}, {}],
  toolFaults: [{}],
};
const apiRows = readFileSync("docs/api.md", "utf8").split("\n");
const fixturePage = readFileSync("docs/middleware.md", "utf8");
const without = ["findRuns", "loadTrace", "verifyTrace", "resultOf", "middleware", "tool"];

const refusal = async (name: string, option: string): Promise<Error> => {
  try {
    await all[name]?.(...(before[name] ?? []), { [option]: 1 });
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error(`${name} took the option ${option}`);
};

it("knows of every public function whether it takes options", () => {
  const known = [...Object.keys(before), ...without].toSorted();
  expect(known).toEqual(
    Object.keys(all)
      .filter((name) => typeof all[name] === "function")
      .toSorted(),
  );
});

it.each(Object.keys(before))("%s refuses an option that it does not have, and names the nearest or all", async (name) => {
  const unlike = await refusal(name, "zzzzzzzzzzzz");
  expect(unlike).toBeInstanceOf(ConfigError);
  const [, listed = ""] = /^\w+: unknown option "z+", the options are: (.*)\.$/.exec(unlike.message) ?? [];
  const options = listed.split(", ");
  for (const option of options) {
    const { message } = await refusal(name, `${option}s`);
    expect(message).toBe(`${name}: unknown option "${option}s", did you mean "${option}"?`);
  }
  const text = name === "runFixture" ? fixturePage : apiRows.find((line) => line.startsWith(`| \`${name}\` `));
  if (text !== undefined)
    expect(
      options.filter((option) => option !== "signal" && !text.includes(`\`${option}\``)),
      "options that no page names",
    ).toEqual([]);
});

it("a place below a file is refused in a finished sentence, by each function that reads runs or jobs", async () => {
  const file = join(tmpdir(), "file");
  writeFileSync(file, "text");
  const place = join(file, "runs");
  const asked = [
    () => lab.findRuns([place]),
    () => lab.replayRun(place),
    () => lab.compareJobs([place]),
    () => lab.analyzeRuns({ sources: [place], store: join(tmpdir(), "store") }),
  ];
  for (const ask of asked)
    await expect(ask()).rejects.toMatchObject({
      name: "CannotError",
      exitCode: 3,
      message: expect.stringMatching(/^There is .*\.$/) as unknown,
    });
});
