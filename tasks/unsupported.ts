import type { Task } from "./task.ts";

/**
 * What a task asks for and Forge reads but does not carry out: one finished sentence for the first such thing, or undefined where the task can
 * run as it is meant. A line goes when its execution has come.
 */
export function unsupported(task: Task): string | undefined {
  const { environment, verifier } = task;
  const environments = [environment, verifier.environment, ...(task.steps ?? []).map((step) => step.verifier.environment)];
  const asked: readonly (readonly [boolean, string])[] = [
    [environments.some((one) => one?.gateway && one.compose), "a network limited to a list of hosts for several containers"],
  ];
  const found = asked.find(([is]) => is);
  return found && `${task.folder}: the task needs ${found[1]}, which Forge does not carry out, so it cannot run as it is meant.`;
}
