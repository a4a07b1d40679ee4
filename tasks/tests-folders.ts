import type { Task } from "./task.ts";

/** The folders with a task's tests: of one in steps the shared one and each step's, as far as they are there. */
export function testsFolders({ verifier, steps }: Pick<Task, "verifier" | "steps">): readonly string[] {
  return steps ? [...new Set(steps.flatMap((step) => step.verifier.tests))] : [verifier.testsFolder];
}
