import type { Task } from "./task.ts";

/**
 * What a task asks for and Forge reads but does not carry out: one finished sentence for the first such thing, or undefined where the task can
 * run as it is meant. A line goes when its execution has come.
 */
export function unsupported(task: Task): string | undefined {
  const { environment, agent, verifier } = task;
  const phases = [agent, verifier, ...(task.steps ?? []).flatMap((step) => [step.agent, step.verifier])];
  const verifications = [verifier, ...(task.steps ?? []).map((step) => step.verifier)];
  const policies = [environment, ...verifications.map((one) => one.environment)].map((one) => one?.networkPolicy);
  const limited = [...policies, ...phases.map((phase) => phase.network)];
  const asked: readonly (readonly [boolean, string])[] = [
    [limited.some((policy) => policy?.mode === "allowlist"), "a network limited to a list of hosts, which nothing here could enforce"],
    [environment.skillsDir !== undefined, "a folder of skills of the task"],
  ];
  const found = asked.find(([is]) => is);
  return found && `${task.folder}: the task asks for ${found[1]}, which Forge does not carry out, so it cannot run as it is meant.`;
}
