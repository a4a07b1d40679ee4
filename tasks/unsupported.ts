import type { Task } from "./task.ts";

/**
 * What a task asks for and Forge reads but does not carry out: one finished sentence for the first such thing, or undefined where the task can
 * run as it is meant. Whoever is about to run a task asks here first; a line goes when its execution has come.
 */
export function unsupported(task: Task): string | undefined {
  const { environment, agent, verifier } = task;
  const phases = [agent, verifier, ...(task.steps ?? []).flatMap((step) => [step.agent, step.verifier])];
  const asked: readonly (readonly [boolean, string])[] = [
    [task.format === "terminal-bench", "the format of Terminal-Bench 1"],
    [task.steps !== undefined, "several steps"],
    [environment.compose !== undefined, "several services"],
    [environment.networkPolicy.mode === "allowlist", "a network limited to a list of hosts"],
    [environment.healthcheck !== undefined, "a health check before the agent starts"],
    [environment.workdir !== undefined, "a working directory other than the image's"],
    [environment.mcpServers.length > 0, "MCP servers of the task"],
    [environment.skillsDir !== undefined, "a folder of skills of the task"],
    [verifier.environment !== undefined, "a verifier with an environment of its own"],
    [verifier.collect.length > 0, "collecting from services before verification"],
    [phases.some((phase) => phase.network !== undefined), "another network for the agent or the verifier"],
    [phases.some((phase) => phase.user !== undefined), "an agent or a verifier that runs as another user"],
  ];
  const found = asked.find(([is]) => is);
  return found && `${task.folder}: the task asks for ${found[1]}, which Forge does not carry out yet. Leave it out with --filter.`;
}
