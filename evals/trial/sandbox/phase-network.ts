import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../../../harness/errors.ts";
import type { NetworkPolicy, Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { TaskEnvironment } from "../../../tasks/task-environment.ts";
import { answers } from "./answers.ts";

/**
 * Gives a phase the network it asks for, where that is not the environment's, and afterwards the environment's again.
 * @throws ConfigError for a policy that cannot be held here; a list of hosts never runs open. InfraError where the change fails.
 */
export async function withNetwork<T>(
  sandbox: Sandbox,
  environment: TaskEnvironment,
  phase: NetworkPolicy | undefined,
  act: () => Promise<T>,
): Promise<T> {
  const usual = environment.networkPolicy;
  const wanted = phase ?? usual;
  if ([wanted, usual].some(({ mode }) => mode === "allowlist") && !environment.gateway)
    throw new ConfigError(`Task ${environment.name} has a network limited to a list of hosts, and no gateway that would hold it to them.`);
  if (isDeepStrictEqual(wanted, usual)) return act();
  if (!sandbox.setNetwork)
    throw new ConfigError(
      `Task ${environment.name} needs another network in one of its phases, which needs containers; run it with --sandbox docker.`,
    );
  await sandbox.setNetwork(wanted);
  try {
    return await act();
  } finally {
    await sandbox.setNetwork(usual).catch(async (error: unknown) => {
      if (await answers(sandbox)) throw error; // what comes next would run with another network than the task asks for
    });
  }
}
