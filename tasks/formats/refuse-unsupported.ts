import { ConfigError } from "../../harness/errors.ts";
import type { TaskToml } from "./task-toml.ts";

/**
 * Throws `ConfigError` for what Harbor's format can ask for and Forge does not carry out. Running such a task without it would measure
 * something else under its name.
 */
export function refuseUnsupported(config: TaskToml, file: string): void {
  const { environment, verifier, agent } = config;
  const asked: [boolean, string, string][] = [
    [(config.steps?.length ?? 0) > 0, "steps", "tasks of several steps"],
    [(environment.os ?? "linux").toLowerCase() !== "linux", "environment.os", "containers of another system than Linux"],
    [(environment.gpus ?? 0) > 0, "environment.gpus", "GPUs"],
    [environment.network_mode === "allowlist", "environment.network_mode", "a network limited to a list of hosts"],
    [environment.healthcheck !== undefined, "environment.healthcheck", "a health check before the agent starts"],
    [environment.workdir !== undefined, "environment.workdir", "a working directory other than the image's"],
    [environment.mcp_servers.length > 0, "environment.mcp_servers", "MCP servers of a task"],
    [(verifier.environment_mode ?? "shared") !== "shared", "verifier.environment_mode", "a verifier with an environment of its own"],
    [verifier.environment !== undefined, "verifier.environment", "a verifier with an environment of its own"],
    [(verifier.collect?.length ?? 0) > 0, "verifier.collect", "collecting from services before verification"],
    [verifier.network_mode !== undefined, "verifier.network_mode", "another network for the verifier"],
    [agent.network_mode !== undefined, "agent.network_mode", "another network for the agent"],
    [verifier.user !== undefined, "verifier.user", "a verifier that runs as another user"],
    [agent.user !== undefined, "agent.user", "an agent that runs as another user"],
  ];
  const found = asked.find(([is]) => is);
  if (found) throw new ConfigError(`${file}: ${found[1]}: Forge does not carry out ${found[2]} yet. Leave this task out with --filter.`);
}
