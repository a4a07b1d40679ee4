import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../../assembly/registry.ts";
import type { Condition } from "../../../evals/gate/conditions/condition.ts";
import { checkConfig, gateTask } from "../../../evals/gate/gate-task.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import type { CheckReport } from "../../../evals/gate/check-task.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { ownSuitesFolder } from "../../../tasks/formats/own-suites.ts";
import { removeScratch } from "../bench-fixture.ts";
import { stepsTask, type StepFiles } from "../steps-task.ts";
import { needs } from "../../needs.ts";

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-gate-"))));
afterAll(removeScratch);
afterAll(() => rm(root, { recursive: true, force: true }));

/** The whole gate, with one trial of the solution, over a changed copy of a shipped task; `only`: under these circumstances, and nothing else. */
async function gate(sandbox: SandboxKind, files: Readonly<Record<string, string>>, only?: readonly Condition[]): Promise<CheckReport> {
  const parent = await mkdtemp(join(root, "case-"));
  const folder = join(parent, "greet");
  await cp(join(ownSuitesFolder(), "demo", "greet"), folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const task = { ...(await loadTask(folder)), own: true };
  const config = await checkConfig(configRegistry);
  const ports = await createBenchPorts(process.env);
  const setting = { ports, sandbox, config, folder: join(parent, "jobs"), stop: new AbortController().signal };
  return gateTask(task, setting, { full: true, repeats: 1, ...(only && { only }) });
}

/** The whole gate over a task in steps. `without`: the step whose solution is missing. */
async function gateSteps(
  steps: Readonly<Record<string, StepFiles>>,
  sandbox: SandboxKind = "bubblewrap",
  { without, dockerfile = "" }: { readonly without?: string; readonly dockerfile?: string } = {},
): Promise<CheckReport> {
  const limits = '[environment]\ncpus = 1\nmemory_mb = 512\nnetwork_mode = "no-network"\n';
  const forge = 'family = "f"\nsplit = "train"\n[metadata]\ndifficulty = "easy"';
  const whole = await stepsTask(steps, { top: limits, forge, dockerfile });
  if (without !== undefined) await rm(join(whole.folder, "steps", without, "solution"), { recursive: true });
  const task = without === undefined ? whole : await loadTask(whole.folder, { own: true });
  const ports = await createBenchPorts(process.env);
  const folder = await mkdtemp(join(root, "jobs-"));
  const setting = { ports, sandbox, config: await checkConfig(configRegistry), folder, stop: new AbortController().signal } as const;
  return gateTask(task, setting, { full: true, repeats: 1 });
}

const failed = (report: CheckReport): string[] => report.lines.filter(({ ok }) => !ok).map(({ check }) => check);
const asShell = (words: string): string => `cat > greet.sh <<'END'\n${words}\nEND\n`;
const greeting = 'echo "Hello, ${1:-world}!"';

describe.skipIf(needs("bubblewrap") || needs("python3"))("the whole gate", { timeout: 240_000 }, () => {
  it("names each thing that is wrong with a task, and only that", async () => {
    const later = Math.floor(Date.now() / 1000) + 86_400;
    const listed = `python3 -c 'import os; print(os.listdir("/etc"))'`;
    // Each circumstance is changed alone, and what holds under none of them fails under each.
    const only = [`[ "$(date +%s)" -lt ${later} ]`, '[ "$LC_ALL" != C ]', `[ "$(${listed})" = "$(env -u LD_PRELOAD ${listed})" ]`];
    const plan = await readFile(join(ownSuitesFolder(), "demo", "greet", "solution", "plan.yaml"), "utf8");
    const report = await gate("bubblewrap", {
      "solution/solve.sh": `${only.join(" && ")} && ${asShell(greeting)}`,
      "solution/plan.yaml": plan.replace("&& echo ok", "&& test -e no-such-file"),
      "tests/checks.json": JSON.stringify({ Greets: "Write a script", politely: "thank the user" }),
      "instruction.md": "Write a script\n`greet.sh` that greets.\n",
    });
    const details = Object.fromEntries(report.lines.filter(({ ok }) => !ok).map(({ check, detail }) => [check, detail]));
    expect(Object.keys(details)).toEqual([
      "instruction and verifier agree",
      "the plan passes",
      "does not depend on: clock",
      "does not depend on: locale C",
      "does not depend on: order of files",
    ]);
    expect(details["the plan passes"]).toMatch(/check: true fails, although the task is solved: .*no-such-file/);
    const words = details["instruction and verifier agree"];
    expect(words).toContain('"politely" cites words that are not in the instruction: "thank the user"');
    expect(words).toContain('no file of tests/ names the check "politely"');
    expect(words).not.toContain('"Greets"');
    // Both are listed for a reader.
    expect(report.asks).toEqual([
      { check: "Greets", asked: "Write a script" },
      { check: "politely", asked: "thank the user" },
    ]);
  });
});

describe.skipIf(needs("bubblewrap"))("the whole gate over a task in steps", () => {
  const asks = (name: string): StepFiles => ({
    solve: `touch ${name}`,
    check: `[ -e ${name} ]`,
    tests: { "checks.json": JSON.stringify({ [name]: "Do it." }) },
  });

  it("looks at the tests and solutions of all of them", { timeout: 120_000 }, async () => {
    const sound = await gateSteps({ one: asks("one"), two: asks("two") });
    expect(failed(sound)).toEqual([]);
    expect(sound.asks).toHaveLength(2);
    const shown = await gateSteps({
      one: { ...asks("one"), brings: { notes: "touch two\n" } },
      two: { ...asks("two"), tests: { "checks.json": JSON.stringify({ three: "Do that." }) } },
    });
    expect(failed(shown)).toEqual(["instruction and verifier agree", "nothing hidden in environment/"]);
    const details = shown.lines.filter(({ ok }) => !ok).map(({ detail }) => detail);
    expect(details).toEqual([expect.stringContaining('"Do that."'), expect.stringContaining("read steps/two/solution/solve.sh in")]);
  });
});

describe.skipIf(needs("docker"))("the whole gate over an image", { timeout: 240_000 }, () => {
  it("finds tests in a layer that a later one hides and in the history, and tries no attack on a task that cannot be attacked", async () => {
    const leak = "expect_hello_to_everyone_who_has_a_name";
    const checks = ["one", "two", "three"].map((word) => `[ "$(sh greet.sh ${word})" = "Hello, ${word}!" ] || exit 1`);
    // Coded, so that its lines do not stand in the history.
    const part = Buffer.from(["# What I know", ...checks, "exit 0", ""].join("\n")).toString("base64");
    const dockerfile = `ARG NOTE="${leak}"
RUN mkdir /tests && echo anything > /tests/old.sh && echo ${part} | base64 -d > /opt/notes
RUN rm -r /tests /opt/notes && echo "$NOTE" > /dev/null
`;
    const tests = { "checks.json": JSON.stringify({ one: "Do it." }) };
    const two = { solve: "touch two", check: "[ -e two ]", tests };
    const one = { ...two, tests: { ...tests, "more.sh": ["#!/bin/bash", leak, ...checks, ""].join("\n") } };
    const report = await gateSteps({ one, two }, "docker", { without: "two", dockerfile });
    const details = Object.fromEntries(report.lines.filter(({ ok }) => !ok).map(({ check, detail }) => [check, detail]));
    expect(details["nothing hidden in a layer"]).toContain("/tests/old.sh");
    expect(details["nothing hidden in a layer"]).toContain("/opt/notes (3 lines of steps/one/tests/more.sh");
    expect(details["nothing hidden in environment/"]).toBeUndefined();
    expect(details["nothing hidden in the history"]).toContain("a build argument of step");
    expect(details["nothing hidden in the history"]).toContain("steps/one/tests/more.sh");
    expect(details["nothing hidden in the image"]).toBeUndefined();
    expect(report.lines.find(({ check }) => check === "known attacks fail")).toMatchObject({
      ok: true,
      note: expect.stringMatching(/^0 tried; not tried: by-steps has no solution of every step/) as unknown,
    });
  });

  it("finds a solution that a comma in decimals breaks", async () => {
    const solve = { "solution/solve.sh": `[ "$(/usr/bin/printf %.1f 1)" = 1.0 ] && ${asShell(greeting)}` };
    expect(failed(await gate("docker", solve, ["another locale"]))).toEqual(["does not depend on: another locale"]);
  });
});
