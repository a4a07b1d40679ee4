import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../../assembly/registry.ts";
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

/** The whole gate, with one trial of the solution, over a changed copy of a shipped task. */
async function gate(sandbox: SandboxKind, files: Readonly<Record<string, string>>): Promise<CheckReport> {
  const parent = await mkdtemp(join(root, "case-"));
  const folder = join(parent, "greet");
  await cp(join(ownSuitesFolder(), "demo", "greet"), folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const task = { ...(await loadTask(folder)), own: true };
  const config = await checkConfig(configRegistry);
  const ports = await createBenchPorts(process.env);
  const setting = { ports, sandbox, config, folder: join(parent, "jobs"), stop: new AbortController().signal };
  return gateTask(task, setting, { full: true, repeats: 1 });
}

/** The whole gate over a task in steps. `without`: the step whose solution is missing. */
async function gateSteps(
  steps: Readonly<Record<string, StepFiles>>,
  sandbox: SandboxKind = "bubblewrap",
  without?: string,
): Promise<CheckReport> {
  const limits = '[environment]\ncpus = 1\nmemory_mb = 512\nnetwork_mode = "no-network"\n';
  const whole = await stepsTask(steps, { top: limits, forge: 'family = "f"\nsplit = "train"\n[metadata]\ndifficulty = "easy"' });
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

describe.skipIf(needs("bubblewrap") || needs("python3"))("the whole gate", () => {
  it(
    "finds a solution that only holds under this clock, in this locale, or where folders are listed in this order",
    { timeout: 240_000 },
    async () => {
      const year = new Date().getFullYear();
      const listed = `python3 -c 'import os; print(os.listdir("/etc"))'`;
      const clock = await gate("bubblewrap", { "solution/solve.sh": `[ "$(date +%Y)" = ${year} ] && ${asShell(greeting)}` });
      const locale = await gate("bubblewrap", { "solution/solve.sh": `[ "$LC_ALL" = C ] || ${asShell(greeting)}` });
      const order = await gate("bubblewrap", {
        "solution/solve.sh": `[ "$(${listed})" = "$(env -u LD_PRELOAD ${listed})" ] && ${asShell(greeting)}`,
      });
      expect(failed(clock)).toEqual(["does not depend on: clock"]);
      expect(failed(locale)).toEqual(["does not depend on: locale C"]);
      expect(failed(order)).toEqual(["does not depend on: order of files"]);
    },
  );

  it("finds a check of the plan that fails although the plan solves the task", { timeout: 120_000 }, async () => {
    const plan = await readFile(join(ownSuitesFolder(), "demo", "greet", "solution", "plan.yaml"), "utf8");
    const report = await gate("bubblewrap", { "solution/plan.yaml": plan.replace("&& echo ok", "&& test -e no-such-file") });
    expect(failed(report)).toEqual(["the plan passes"]);
    expect(report.lines.find(({ ok }) => !ok)?.detail).toMatch(/check: true fails, although the task is solved: .*no-such-file/);
  });

  it("holds each check to the words of the instruction, and lists both for a reader", { timeout: 120_000 }, async () => {
    const report = await gate("bubblewrap", {
      "tests/checks.json": JSON.stringify({ Greets: "Write a script", politely: "thank the user" }),
      "instruction.md": "Write a script\n`greet.sh` that greets.\n",
    });
    expect(failed(report)).toEqual(["instruction and verifier agree"]);
    const { detail } = report.lines.find(({ ok }) => !ok) ?? { detail: "" };
    expect(detail).toContain('"politely" cites words that are not in the instruction: "thank the user"');
    expect(detail).toContain('no file of tests/ names the check "politely"');
    expect(detail).not.toContain('"Greets"');
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

describe.skipIf(needs("docker"))("the whole gate over an image", () => {
  it("tries no attack on a task that cannot be attacked, says why, and ends with its report", { timeout: 240_000 }, async () => {
    const one = { solve: "touch one", check: "[ -e one ]", tests: { "checks.json": JSON.stringify({ one: "Do it." }) } };
    const report = await gateSteps({ one, two: { ...one, check: "[ -e two ]" } }, "docker", "two");
    expect(report.lines.find(({ check }) => check === "known attacks fail")).toMatchObject({
      ok: true,
      note: expect.stringMatching(/^0 tried; not tried: by-steps has no solution of every step/) as unknown,
    });
  });

  it(
    "finds tests in a layer that a later one hides, a solution in the history, and one that a comma in decimals breaks",
    { timeout: 240_000 },
    async () => {
      const leak = "expect_hello_to_everyone_who_has_a_name";
      const checks = ["one", "two", "three"].map((word) => `[ "$(sh greet.sh ${word})" = "Hello, ${word}!" ] || exit 1`);
      // Coded, so that its lines do not stand in the history.
      const part = Buffer.from(["# What I know", ...checks, "exit 0", ""].join("\n")).toString("base64");
      const report = await gate("docker", {
        "environment/Dockerfile": `FROM forge-base/debian:bookworm
WORKDIR /app
COPY app/ ./
ARG NOTE="${leak}"
RUN mkdir /tests && echo anything > /tests/old.sh
RUN rm -r /tests && echo "$NOTE" > /dev/null
RUN echo ${part} | base64 -d > /opt/notes
RUN rm /opt/notes
`,
        "tests/more.sh": ["#!/bin/bash", leak, ...checks, ""].join("\n"),
        "solution/solve.sh": `[ "$(/usr/bin/printf %.1f 1)" = 1.0 ] && ${asShell(greeting)}`,
      });
      const details = Object.fromEntries(report.lines.filter(({ ok }) => !ok).map(({ check, detail }) => [check, detail]));
      expect(details["nothing hidden in a layer"]).toContain("/tests/old.sh");
      expect(details["nothing hidden in a layer"]).toContain("/opt/notes (3 lines of tests/more.sh)");
      expect(details["nothing hidden in environment/"]).toBeUndefined();
      expect(details["nothing hidden in the history"]).toContain("a build argument of step");
      expect(details["nothing hidden in the history"]).toContain("tests/more.sh");
      expect(details["nothing hidden in the image"]).toBeUndefined();
      expect(Object.keys(details).filter((check) => check.startsWith("does not depend on"))).toEqual([
        "does not depend on: another locale",
      ]);
    },
  );
});
