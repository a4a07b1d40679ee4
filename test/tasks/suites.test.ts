import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBubblewrapProvider } from "../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { createLocalProvider } from "../../harness/sandbox/local/local-provider.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { needs } from "../needs.ts";
import { holdChanged } from "./held.ts";
import { createTaskRunner, solvedAndNot, type Who } from "./run-task.ts";

const passing: Who[] = [{ type: "oracle" }, { type: "plan" }];

// Up to eight sandboxes one after the other, in some of which programs are measured or waited for, beside the other tests that vitest runs.
const timeout = 240_000;

// Of each language and kind one, and of one all who try it; the others are run where their files changed since scripts/campaigns/hold-tasks.ts held them.
const sample = new Set([
  "clean-shutdown",
  "csv-totals",
  "lost-work",
  "make-rebuild",
  "month-tests",
  "unique-lines",
  "greet",
  "sum-numbers",
]);
/** One of each program that a task takes from the machine. */
const inFolder = new Set(["csv-totals", "lost-work", "make-rebuild", "greet"]);

for (const name of ["builtin", "demo"]) {
  // What the tasks use beyond a shell comes from this machine here, and from the base image in Docker.
  const tools = name === "builtin" ? (["git", "python3", "make"] as const) : [];
  const tasks = (await loadSuite(name)).tasks.map((task) => [task.name, task] as const);

  describe.skipIf(["bubblewrap" as const, ...tools].some((tool) => needs(tool)))(`the suite ${name} in bubblewrap`, () => {
    const provider = createBubblewrapProvider();
    it.concurrent.each(tasks)("%s: solution and plan pass; nothing, the slip and every wrong solution fail", { timeout }, (_, task) =>
      holdChanged(`${name} in bubblewrap: ${task.name}`, task.digest, { sample: sample.has(task.name) }, async (whole) => {
        const runner = await createTaskRunner(task, provider);
        if (!whole && task.name !== "greet") {
          for (const [who, passes] of solvedAndNot(task)) expect(await runner.run(who)).toMatchObject({ passed: passes });
          return;
        }
        const failing: Who[] = [
          { type: "nop" },
          { type: "slip" },
          ...task.wrong.slice(0, whole ? undefined : 1).map((wrong) => ({ type: "wrong", name: wrong.name }) as const),
        ];
        for (const who of [...passing, ...failing]) {
          const { passed, detail } = await runner.run(who);
          expect(passed, `${JSON.stringify(who)}: ${detail}`).toBe(passing.includes(who));
        }
      }),
    );
  });

  describe.skipIf(tools.some((tool) => needs(tool)))(`the suite ${name} in a plain folder`, () => {
    const provider = createLocalProvider();
    it.concurrent.each(tasks)("%s finds its places by variables: the solution passes, doing nothing fails", { timeout }, (_, task) =>
      holdChanged(`${name} in a folder: ${task.name}`, task.digest, { sample: inFolder.has(task.name) }, async () => {
        const runner = await createTaskRunner(task, provider);
        for (const who of [{ type: "oracle" }, { type: "nop" }] as const) {
          const { passed, detail } = await runner.run(who);
          expect(passed, `${who.type}: ${detail}`).toBe(who.type === "oracle");
        }
      }),
    );
  });
}

it.each([
  ["builtin", "apart.py"],
  ["demo", "apart.sh"],
])("the tasks of %s bring the same %s: a task is whole by itself, and none falls behind", async (suite, file) => {
  const { tasks } = await loadSuite(suite);
  const copies = await Promise.all(tasks.map((task) => readFile(join(task.verifier.testsFolder, file), "utf8")));
  expect(new Set(copies).size).toBe(1);
});
