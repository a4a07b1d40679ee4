import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { ownSuitesFolder } from "../../../tasks/formats/own-suites.ts";
import { agrees } from "../../../evals/gate/agreement.ts";

/** What does not agree in a copy of a shipped task with other files in `tests/`. */
async function disagreement(change: (tests: string) => Promise<void>): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "forge-agreement-"));
  try {
    const folder = join(parent, "greet");
    await cp(join(ownSuitesFolder(), "demo", "greet"), folder, { recursive: true });
    const task = await loadTask(folder);
    await change(join(folder, "tests"));
    return (await agrees(task)).lines.map(({ ok, detail }) => (ok ? "" : detail)).join("\n");
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

it("says which files were too large to be read where nothing else names a check", async () => {
  const told = await disagreement(async (tests) => {
    await writeFile(join(tests, "checks.json"), JSON.stringify({ "in the large one": "greet" }));
    await writeFile(join(tests, "large.txt"), `${"x".repeat(1024 * 1024)} in the large one`);
  });
  expect(told).toContain('no file of tests/ names the check "in the large one"; files of more than 1 MiB were not read: large.txt');
});

it("says why a list of checks cannot be read instead of calling it missing", async () => {
  const told = await disagreement(async (tests) => {
    await rm(join(tests, "checks.json"), { force: true });
    await mkdir(join(tests, "checks.json"));
  });
  expect(told).toContain("tests/checks.json cannot be used: EISDIR");
});
