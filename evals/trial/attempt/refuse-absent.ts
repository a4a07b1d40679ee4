import { ConfigError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import type { Task } from "../../../tasks/task.ts";

/**
 * Looks, before an agent begins, whether the image has what the task says of it: every call of the agent would fail for that, and none of its doing.
 * @throws ConfigError, which costs the task its score and no other task anything
 */
export async function refuseAbsent({ folder, agent, environment }: Task, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  if (sandbox.kind !== "docker") return;
  const { workdir } = environment;
  if (workdir !== undefined) {
    const looked = await sandbox.exec(`[ -d ${quote(workdir)} ]`, { cwd: "/", signal });
    if (looked.status === "exited" && looked.exitCode === 1)
      throw new ConfigError(
        `${folder}: the working directory ${JSON.stringify(workdir)} that the task names is no folder of its image; make it in the Dockerfile, or name another in environment.workdir of task.toml.`,
      );
  }
  if (agent.user === undefined) return;
  const entered = await sandbox.exec("exit 0", { cwd: "/", signal, user: agent.user });
  if (entered.status === "exited" && entered.exitCode === 126)
    throw new ConfigError(
      `${folder}: the agent's user ${JSON.stringify(agent.user)} cannot be used in the task's image; make that user in the Dockerfile, or name another in agent.user of task.toml.`,
    );
}
