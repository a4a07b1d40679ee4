import { cp, mkdtemp, readFile, rm, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createBubblewrapProvider } from "../../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { checkTask, type CheckReport } from "../../../evals/gate/check-task.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { ownSuitesFolder } from "../../../tasks/formats/own-suites.ts";
import { needs } from "../../needs.ts";
import { createTaskRunner } from "../../tasks/run-task.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true });
});

/** A copy of a shipped task, changed, then checked with real runs. */
async function check(change: (folder: string) => Promise<void>): Promise<CheckReport> {
  const parent = await mkdtemp(join(tmpdir(), "forge-check-"));
  made.push(parent);
  const folder = join(parent, "greet");
  await cp(join(ownSuitesFolder(), "demo", "greet"), folder, { recursive: true });
  await change(folder);
  const task = await loadTask(folder);
  const runner = await createTaskRunner(task, createBubblewrapProvider());
  return checkTask(task, { runAs: (who) => runner.run(who), listImageFiles: () => runner.listImageFiles() });
}

const failed = (report: CheckReport): string[] => report.lines.filter((line) => !line.ok).map((line) => line.check);

describe.skipIf(needs("bubblewrap"))("task check", () => {
  it("lets a sound task through", async () => {
    const report = await check(async () => {});
    expect(failed(report)).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it("names each thing that is wrong with a task, and only that", async () => {
    const report = await check(async (folder) => {
      await cp(join(folder, "tests", "verify.sh"), join(folder, "environment", "app", "old-check.sh"));
      await writeFile(join(folder, "tests", "verify.sh"), "test -e greet.sh\n");
      await rm(join(folder, "solution", "plan.yaml"));
    });
    // The changed verifier is content with any greet.sh; the copy of the old one in the environment is no longer a hidden file.
    expect(failed(report)).toEqual(["plan", "wrong solution always-the-world fails", "wrong solution forgets-the-default fails"]);
    expect(report.ok).toBe(false);
  });

  it("finds a solution or a test that the agent could read", async () => {
    const report = await check(async (folder) => {
      await mkdir(join(folder, "environment", "app", "solution"));
      await cp(join(folder, "solution", "solve.sh"), join(folder, "environment", "app", "solution", "solve.sh"));
      await cp(join(folder, "tests", "verify.sh"), join(folder, "environment", "app", "notes.txt"));
    });
    expect(failed(report)).toEqual(["nothing hidden in environment/", "nothing hidden in the image"]);
    expect(report.lines.find((line) => !line.ok)?.detail).toContain("tests/verify.sh, solution/solve.sh");
  });

  it("finds a copy of a test with a line more or less, and a part of it in another file", async () => {
    const report = await check(async (folder) => {
      const [first = "", ...rest] = (await readFile(join(folder, "tests", "verify.sh"), "utf8")).split("\n");
      const put = (name: string, lines: readonly string[]): Promise<void> =>
        writeFile(join(folder, "environment", "app", name), lines.join("\n"));
      await put("more.txt", [first, "echo one more", ...rest]);
      await put("less.txt", rest);
      await put("notes.md", ["# Notes", "", ...rest.map((one) => `    ${one}`), "", "That is all."]);
    });
    expect(failed(report)).toEqual(["nothing hidden in environment/"]);
    const detail = report.lines.find((line) => !line.ok)?.detail;
    for (const name of ["more.txt", "less.txt", "notes.md"])
      expect(detail).toMatch(new RegExp(`environment/app/${name} \\(\\d+ lines of tests/verify\\.sh\\)`));
  });

  it("finds a plan that does not do what the solution does", async () => {
    const report = await check(async (folder) => {
      const plan = join(folder, "solution", "plan.yaml");
      await writeFile(
        plan,
        (await readFile(plan, "utf8")).replace("Hello, %s!", "Good day, %s!").replace(/test "\$\(sh.*echo ok/, "echo ok"),
      );
    });
    expect(failed(report)).toEqual(["the plan passes"]);
  });

  it("finds a verifier that is content with nothing, and one that refuses the solution", async () => {
    const generous = await check((folder) => writeFile(join(folder, "tests", "verify.sh"), "true\n"));
    expect(failed(generous)).toContain("doing nothing fails");
    const stern = await check((folder) => writeFile(join(folder, "tests", "verify.sh"), "false\n"));
    expect(failed(stern)).toEqual(["the solution passes"]);
  });
});

it.each(["builtin", "demo"])("what can be read off the tasks of %s is in order", async (name) => {
  for (const task of (await loadSuite(name)).tasks) {
    const report = await checkTask(task, { runAs: async ({ type }) => ({ passed: type === "oracle" || type === "plan", detail: "" }) });
    expect(failed(report), `${task.name}: what fails`).toEqual([]);
    expect(task.plan?.steps.at(-1)?.check, `${task.name}: the last step of the plan is a check`).toBe(true);
    expect(task.plan?.slip, `${task.name}: the plan has a slip`).toBeDefined();
    expect(task.forge?.local, `${task.name}: runs without Docker`).toBe(true);
  }
});

it("the built-in suite has at least twelve tasks in at least six families, and no family is in two splits", async () => {
  const { tasks } = await loadSuite("builtin");
  expect(tasks.length).toBeGreaterThanOrEqual(12);
  const splits = new Map<string, Set<string>>();
  for (const { metadata } of tasks) {
    const family = metadata.family ?? "";
    splits.set(family, (splits.get(family) ?? new Set()).add(metadata.split ?? ""));
  }
  expect(splits.size).toBeGreaterThanOrEqual(6);
  for (const [family, set] of splits) expect([...set], `splits of the family ${family}`).toHaveLength(1);
  expect(new Set(tasks.map((task) => task.metadata.split))).toEqual(new Set(["train", "validation", "test"]));
});
