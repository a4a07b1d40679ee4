import { waitHealthy } from "../../../harness/sandbox/healthcheck.ts";
import type { CreateOptions, PreparedEnvironment } from "../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { TaskEnvironment } from "../../../tasks/task-environment.ts";
import { limitsOf } from "./bounds.ts";
import { networkOf } from "./network-options.ts";

export interface SandboxWish {
  readonly labels: Readonly<Record<string, string>>;
  /** Variables besides the environment's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * A sandbox with an environment's limits and variables, whose health check has passed. The caller closes it.
 * @throws InfraError when it cannot be made or does not become healthy.
 */
export async function makeSandbox(prepared: PreparedEnvironment, environment: TaskEnvironment, o: SandboxWish): Promise<Sandbox> {
  const { env, healthcheck } = environment;
  const options: CreateOptions = { labels: o.labels, ...networkOf(environment), env: { ...env, ...o.env }, ...limitsOf(environment) };
  const sandbox = await prepared.create(options);
  try {
    if (healthcheck) await waitHealthy(sandbox, healthcheck, o.signal ? { signal: o.signal } : {});
    return sandbox;
  } catch (error) {
    await sandbox.close().catch(() => undefined); // the sweep tries again
    throw error;
  }
}
