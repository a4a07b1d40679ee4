import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkTask, type CheckDepth, type CheckedAgent } from "../../../evals/gate/check-task.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { ownSuitesFolder } from "../../../tasks/formats/own-suites.ts";
import { scaffoldTask } from "../../../tasks/scaffold/scaffold-task.ts";
import { writeTexts } from "../../../harness/files/write-new-folder.ts";
import type { Condition } from "../../../evals/gate/conditions/condition.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true });
});
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forge-unusable-"));
  made.push(folder);
  return folder;
}

/** Checks a folder whose solution passes, or fails, in every trial; answers what does not hold, and which trials there were. */
async function check(folder: string, passes: boolean, depth: CheckDepth) {
  const trials: string[] = [];
  const runAs = async ({ type }: CheckedAgent, condition?: Condition) => {
    trials.push(condition === undefined ? type : `${type}, ${condition}`);
    return { passed: passes && (type === "oracle" || type === "plan"), detail: "the verifier fell over" };
  };
  const { lines } = await checkTask(await loadTask(folder), { runAs }, depth);
  return { failed: lines.filter(({ ok }) => !ok).map(({ check: name, detail }) => `${name}: ${detail}`), trials, lines };
}

describe.each([false, true])("a list of checks that the tests read (full: %s)", (full) => {
  const depth = { full, repeats: 1 };

  it("is told in one sentence where it is missing or broken, and nothing is run", async () => {
    const folder = await emptyFolder();
    await writeTexts(folder, scaffoldTask());
    expect((await check(folder, true, depth)).failed).toEqual([]);
    await writeFile(join(folder, "tests", "checks.json"), "{\n");
    const broken = await check(folder, true, depth);
    expect(broken.failed).toEqual([
      expect.stringMatching(/^instruction and verifier agree: tests\/checks\.json cannot be used: .*JSON.*[^.]\.$/),
    ]);
    await rm(join(folder, "tests", "checks.json"));
    const gone = await check(folder, true, depth);
    expect(gone.failed).toEqual([
      "instruction and verifier agree: tests/checks.json is missing; name there each thing that is checked, with the words that require it.",
    ]);
    expect([...broken.trials, ...gone.trials]).toEqual([]);
  });

  it("is not asked for in a quick look where they read none", async () => {
    const folder = join(await emptyFolder(), "greet");
    await cp(join(ownSuitesFolder(), "demo", "greet"), folder, { recursive: true });
    await rm(join(folder, "tests", "checks.json"), { force: true });
    const { failed, trials } = await check(folder, true, depth);
    expect(failed.some((line) => line.includes("checks.json is missing"))).toBe(full);
    expect(trials).toContain("oracle");
  });
});

it("a solution that fails as it is, is not disturbed", async () => {
  const folder = await emptyFolder();
  await writeTexts(folder, scaffoldTask());
  const { failed, trials, lines } = await check(folder, false, { full: true, repeats: 3 });
  expect(failed).toEqual(["the solution passes: trial 1 of 3: the verifier fell over"]);
  expect(trials.filter((one) => one.startsWith("oracle"))).toEqual(["oracle"]);
  expect(lines.filter(({ note }) => note === "not tried: the solution fails as it is").length).toBeGreaterThanOrEqual(4);
});
