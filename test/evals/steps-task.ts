import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { baseImage } from "../../harness/sandbox/docker/image/base-image.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import type { Task } from "../../tasks/task.ts";
import { writeFiles } from "../tasks/write-task.ts";
import { scratch } from "./bench-fixture.ts";

export interface StepFiles {
  readonly solve: string;
  /** The step is passed where this holds in the working directory. */
  readonly check: string;
  /** The whole test instead. */
  readonly test?: string;
  /** Lines below the step's table. */
  readonly toml?: string;
  /** Files of `workdir/`, and of `tests/given/`. */
  readonly brings?: Readonly<Record<string, string>>;
  readonly given?: Readonly<Record<string, string>>;
  /** Further files of `tests/`. */
  readonly tests?: Readonly<Record<string, string>>;
}
/** A test that is passed where `check` holds. */
export const reward = (check: string): string =>
  `#!/bin/bash\nmkdir -p /logs/verifier; if ${check}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n`;

/** A test that gives a reward, though the only one that it lists was skipped. */
export const skipped = `#!/bin/bash\nmkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt
echo '{"results":{"tests":[{"name":"a","status":"skipped"}]}}' > /logs/verifier/ctrf.json\n`;

/** A task in steps, hardened unless it is asked for otherwise. */
export async function stepsTask(
  steps: Readonly<Record<string, StepFiles>>,
  o: { name?: string; forge?: string; dockerfile?: string; top?: string; files?: Readonly<Record<string, string>> } = {},
): Promise<Task> {
  const tables = Object.entries(steps).map(([name, { toml = "" }]) => `[[steps]]\nname = "${name}"\n${toml}\n`);
  const files = Object.entries(steps).flatMap(([name, { solve, check, test, brings = {}, given = {}, tests = {} }]) => [
    [`steps/${name}/instruction.md`, "Do it.\n"],
    [`steps/${name}/solution/solve.sh`, `${solve}\n`],
    [`steps/${name}/tests/test.sh`, test ?? reward(check)],
    ...Object.entries(brings).map(([path, text]) => [`steps/${name}/workdir/${path}`, text]),
    ...Object.entries(given).map(([path, text]) => [`steps/${name}/tests/given/${path}`, text]),
    ...Object.entries(tests).map(([path, text]) => [`steps/${name}/tests/${path}`, text]),
  ]);
  const folder = await writeFiles(join(await scratch(), o.name ?? "by-steps"), {
    "task.toml": `${o.top ?? ""}\n${tables.join("")}[metadata.forge]\nlocal = true\n${o.forge ?? ""}\n`,
    "environment/Dockerfile": `FROM ${baseImage}\nWORKDIR /app\n${o.dockerfile ?? ""}`,
    ...o.files,
    ...(Object.fromEntries(files) as Record<string, string>), // pairs of names and texts
  });
  return loadTask(folder, { own: true });
}

/** The task with other tests of some steps, as a person mends it. */
export async function mendedSteps(task: Task, tests: Readonly<Record<string, string>>): Promise<Task> {
  for (const [name, test] of Object.entries(tests)) {
    const path = join(task.folder, "steps", name, "tests/test.sh");
    await writeFile(path, test);
    await chmod(path, 0o755);
  }
  return loadTask(task.folder, { own: true });
}
