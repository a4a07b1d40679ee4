import type { RefusedTask, Suite, Task } from "./task.ts";

/** An oracle can work on the task: of one with steps, on each. */
export const hasSolution = ({ solution, steps }: Task): boolean =>
  steps ? steps.every((step) => step.solution !== undefined) : solution !== undefined;

/** The suite for an oracle: tasks without a solution are refused, as faulty ones are. With no solution at all it is as it was. */
export function withSolutions(suite: Suite): Suite {
  const tasks = suite.tasks.filter(hasSolution);
  if (tasks.length === 0 || tasks.length === suite.tasks.length) return suite;
  const without = suite.tasks
    .filter((task) => !hasSolution(task))
    .map(({ name, folder }): RefusedTask => ({
      name,
      folder,
      reason: `${folder} has no solution/ for the oracle. Write solution/solve.sh.`,
    }));
  return { ...suite, tasks, refused: [...(suite.refused ?? []), ...without] };
}
