import { describe, expect, it } from "vitest";
import { loadSuite } from "../../tasks/formats/harbor.ts";
import { needs } from "../needs.ts";
import { createTaskRunner, inFolder } from "./run-task.ts";

for (const name of ["builtin", "demo"]) {
  // What the tasks use beyond a shell comes from this machine here, and from the base image elsewhere.
  const tools = name === "builtin" ? (["git", "python3"] as const) : [];
  const suite = await loadSuite(name);
  describe.skipIf(["bubblewrap" as const, ...tools].some(needs))(`the suite ${name}`, () => {
    it.concurrent.each(suite.tasks.map((task) => [task.name, task] as const))(
      "%s: solution and plan pass; nothing, the slip and every wrong solution fail",
      { timeout: 120_000 },
      async (_, task) => {
        const runner = await createTaskRunner(task);
        try {
          for (const type of ["oracle", "plan"] as const) {
            const { passed, detail } = await runner.run({ type });
            expect(passed, `${type}: ${detail}`).toBe(true);
          }
          for (const who of [
            { type: "nop" },
            { type: "slip" },
            ...task.wrong.map((wrong) => ({ type: "wrong", name: wrong.name }) as const),
          ] as const) {
            const { passed, detail } = await runner.run(who);
            expect(passed, `${JSON.stringify(who)} passes: ${detail}`).toBe(false);
          }
        } finally {
          await runner.close();
        }
      },
    );
  });

  describe.skipIf(tools.some(needs))(`the suite ${name} in a plain folder`, () => {
    it.concurrent.each(suite.tasks.map((task) => [task.name, task] as const))(
      "%s finds its places by variables: the solution passes, nothing fails",
      { timeout: 120_000 },
      async (_, task) => {
        const runner = await createTaskRunner(task, inFolder);
        try {
          const oracle = await runner.run({ type: "oracle" });
          expect(oracle.passed, `oracle: ${oracle.detail}`).toBe(true);
          expect((await runner.run({ type: "nop" })).passed).toBe(false);
        } finally {
          await runner.close();
        }
      },
    );
  });
}
