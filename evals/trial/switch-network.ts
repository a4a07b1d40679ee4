import { ConfigError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { NetworkPolicy, TaskEnvironment } from "../../tasks/task-environment.ts";
import { answers } from "./answers.ts";

/**
 * Gives a phase the network it asks for, where that is not the environment's, and afterwards the environment's again.
 * @throws ConfigError for a policy that cannot be held here; a list of hosts never runs open.
 */
export async function withNetwork<T>(
  sandbox: Sandbox,
  environment: TaskEnvironment,
  phase: NetworkPolicy | undefined,
  act: () => Promise<T>,
): Promise<T> {
  const wanted = phase ?? environment.networkPolicy;
  if (wanted.mode === "allowlist" || environment.networkPolicy.mode === "allowlist")
    throw new ConfigError(
      `Task ${environment.name} asks for a network limited to a list of hosts, which nothing here could enforce; leave it out with --filter.`,
    );
  if (wanted.mode === environment.networkPolicy.mode) return act();
  if (!sandbox.setNetwork)
    throw new ConfigError(
      `Task ${environment.name} asks for another network in one of its phases, which needs containers; run it with --sandbox docker.`,
    );
  await sandbox.setNetwork(wanted.mode === "public");
  try {
    return await act();
  } finally {
    await sandbox.setNetwork(environment.network).catch(async (error: unknown) => {
      if (await answers(sandbox)) throw error; // what comes next would run with another network than the task asks for
    });
  }
}
