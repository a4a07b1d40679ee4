import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { demoFolder } from "../../cli/demo/show-demo.ts";
import { createProgram } from "../../cli/program.ts";
import { unpackArchive } from "../../evals/archive/unpack-archive.ts";
import { displayWidth } from "../../reports/text/display-width.ts";
import { job, suite } from "../evals/compare/scored-job.ts";
import { said } from "./said.ts";

const run = "jobs/recorded/trials/build-fix-easy-0001/standard-text";

/** By command, the arguments with which it prints something for a reader. `compared`: nine configurations with long names on many tasks. */
const shown: Readonly<Record<string, readonly string[]>> = {
  "forge bench": ["demo --filter gr* --config bare --config standard --sandbox local --out jobs/made"],
  "forge agents list": [""],
  "forge jobs list": [""],
  "forge jobs show": ["recorded", "made", "compared"],
  "forge jobs watch": ["made"],
  "forge jobs clean": ["recorded --dry-run"],
  "forge compare": ["recorded", "recorded --all", "made --all", "compared", "compared --all", "compared --all --baseline other"],
  "forge compare plan": ["--tasks 40 --repeats 3", "recorded --families 8 --tasks 40 --difference 10"],
  "forge report": ["recorded", "compared"],
  "forge replay": ["made", "made --all", `${run}/1`],
  "forge replay dry": [`--config change.yaml jobs/recorded/trials/build-fix-easy-0001`, `--config change.yaml ${run}/1`],
  "forge replay current": ["made", "made --all"],
  "forge analyze": ["recorded", "recorded --all"],
  "forge issues": [""],
  "forge issues list": [""],
  "forge issues show": ["1", "2"],
  "forge issues accept": ["1"],
  "forge issues reject": ["2 --reason no"],
  "forge traces list": ["", "jobs/recorded -n 3"],
  "forge traces show": [`${run}/1`, `${run}/1 --grep the`, `${run}/1 --type tool.result`],
  "forge traces tail": [`${run}/1`],
  "forge traces search": ["python", "fail* jobs/recorded"],
  "forge traces stats": ["recorded"],
  "forge traces tree": ["--all"],
  "forge traces verify": ["recorded", "made --all"],
  "forge traces diff": [`${run}/1 ${run}/2`],
  "forge task list": ["", "builtin"],
  "forge task show": ["builtin/csv-totals"],
  "forge task families": [""],
  "forge task stats": ["recorded", "recorded --by-arm", "compared --by-arm"],
  "forge config show": [""],
};

/** What prints a file's name, a number or a page of others alone, or needs a model, a daemon or an answer from the keyboard. */
const elsewhere = `
  bench export, bench verify, bench regrade, agents check, jobs resume, view, replay live, replay tools, traces index,
  traces pin, traces prune, traces gc, traces compress, traces recover, traces export, traces import, traces bundle, trial shell,
  issues edit, issues apply, issues export, improve, run, doctor, task check, task init, task from-git,
  task from-run, task generate, images bootstrap, images prune, demo, sim corpus, sim serve
`
  .split(",")
  .map((name) => `forge ${name.trim()}`);

const home = mkdtempSync(join(tmpdir(), "forge-width-"));
const before = process.cwd();
beforeAll(async () => {
  mkdirSync(join(home, "jobs/recorded"), { recursive: true });
  await unpackArchive(join(demoFolder(), "recorded.tar.gz"), join(home, "jobs/recorded"), {
    maxBytes: 200e6,
    signal: new AbortController().signal,
  });
  process.chdir(home);
  writeFileSync("change.yaml", "extends: standard\nlimits:\n  turns: 3\n");
  const names = ["other", ...Array.from({ length: 8 }, (_, at) => `a-configuration-whose-name-goes-on-and-on-with-effort-${at}`)];
  const made = job(Object.fromEntries(names.map((name, at) => [name, suite(40, (i) => Number(i < at * 4), 2)])), {
    folder: "jobs/compared",
  });
  for (const record of made.records) {
    const folder = join("jobs/compared/trials", record.task, record.configuration, String(record.repeat));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "result.json"), JSON.stringify(record));
  }
  writeFileSync("jobs/compared/lock.json", JSON.stringify(made.lock));
}, 120_000);
afterAll(() => {
  process.chdir(before);
  rmSync(home, { recursive: true, force: true });
});

const leaves = (path: string, command: Command): string[] => [
  ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [path] : []),
  ...command.commands.flatMap((child) => leaves(`${path} ${child.name()}`, child as Command)),
];

describe("what a command prints", { timeout: 120_000 }, () => {
  it("is looked at here of every command, or named among those that print no page", async () => {
    const all = leaves("forge", await createProgram());
    expect([...all, "forge issues"].toSorted()).toEqual([...new Set([...Object.keys(shown), ...elsewhere])].toSorted());
  });

  const printed = async (line: string): Promise<string[]> => {
    const args = line.split(" ");
    const { out } = await said(async () => {
      await (await createProgram(args[0])).parseAsync(args, { from: "user" });
      process.exitCode = 0; // a verdict is an answer
      return 0;
    });
    expect(out).not.toBe("");
    return out.split("\n");
  };

  it.each(Object.entries(shown).flatMap(([path, all]) => all.map((args) => `${path.replace("forge ", "")} ${args}`.trim())))(
    "takes at most 100 columns: forge %s",
    async (line) => {
      expect((await printed(line)).filter((one) => displayWidth(one) > 100)).toEqual([]);
    },
  );

  it.each([
    "agents list",
    "config show",
    "issues list",
    "jobs list",
    "jobs show recorded",
    "compare compared",
    "report recorded",
    `replay ${run}/1`,
    `traces show ${run}/1`,
    "traces list",
    "traces stats recorded",
    "task list",
    "task stats recorded",
  ])("takes at most 80 columns in a terminal that has no more: forge %s", async (line) => {
    const columns = Object.getOwnPropertyDescriptor(process.stdout, "columns");
    Object.defineProperty(process.stdout, "columns", { value: 80, configurable: true });
    onTestFinished(
      () => void (columns ? Object.defineProperty(process.stdout, "columns", columns) : Reflect.deleteProperty(process.stdout, "columns")),
    );
    expect((await printed(line)).filter((one) => displayWidth(one) > 80)).toEqual([]);
  });
});
