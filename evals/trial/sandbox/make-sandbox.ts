import { waitHealthy } from "../../../harness/sandbox/healthcheck.ts";
import type { CreateOptions, PreparedEnvironment } from "../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { TaskEnvironment } from "../../../tasks/task-environment.ts";
import type { BenchPorts } from "../../bench-ports.ts";
import type { AttemptSetting, SandboxPlan, SandboxSetting, TrialPlan } from "../trial-plan.ts";
import { limitsOf } from "./bounds.ts";

export interface SandboxWish {
  readonly labels: Readonly<Record<string, string>>;
  /** Variables besides the environment's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the agent's own sandbox: what its agent is installed in, and where it asks its model. */
  readonly mounts?: CreateOptions["mounts"];
  readonly port?: CreateOptions["port"];
  readonly signal?: AbortSignal;
}

/**
 * A sandbox with an environment's limits and variables, whose health check has passed. The caller closes it.
 * @throws InfraError when it cannot be made or does not become healthy.
 */
export async function makeSandbox(prepared: PreparedEnvironment, environment: TaskEnvironment, o: SandboxWish): Promise<Sandbox> {
  const { env, healthcheck } = environment;
  const options: CreateOptions = {
    labels: o.labels,
    ...networkOf(environment),
    env: { ...env, ...o.env },
    ...(o.mounts ? { mounts: o.mounts } : {}),
    ...(o.port ? { port: o.port } : {}),
    ...limitsOf(environment),
  };
  const sandbox = await prepared.create(options);
  try {
    if (healthcheck) await waitHealthy(sandbox, healthcheck, o.signal ? { signal: o.signal } : {});
    return sandbox;
  } catch (error) {
    await sandbox.close().catch(() => undefined); // the sweep tries again
    throw error;
  }
}

/** A sandbox of the trial's environment, up and healthy, with `more` variables. The caller closes it. */
export function createSandbox(
  plan: SandboxPlan,
  setting: SandboxSetting & Partial<Pick<AttemptSetting, "signal">>,
  more: Readonly<Record<string, string>> = {},
): Promise<Sandbox> {
  const { signal, mounts, port } = setting;
  const labels = labelsOf(plan, setting);
  return makeSandbox(setting.prepared, plan.task.environment, {
    labels,
    env: more,
    ...(mounts ? { mounts } : {}),
    ...(port ? { port } : {}),
    ...(signal ? { signal } : {}),
  });
}

/**
 * What the agent's own sandbox has of this machine, where its agent is a program of its own: that program, and a port to its model. A sandbox without
 * containers has this machine's own paths. `more`: trials of the job follow it.
 */
export async function programOf(
  { config, agent, sandbox }: Pick<TrialPlan, "config" | "agent" | "sandbox">,
  ports: Pick<BenchPorts, "layers">,
  { more }: { readonly more: boolean },
): Promise<Pick<CreateOptions, "mounts" | "port">> {
  if (!config.agent || agent !== "configured" || sandbox !== "docker") return {};
  const mounts = (await ports.layers?.(config, sandbox)) ?? {};
  return { port: { more }, ...(Object.keys(mounts).length > 0 ? { mounts } : {}) };
}

/**
 * Closes a sandbox that is no longer needed, beside what follows where a caller waits for that. What cannot be removed now, the sweep at the next start
 * removes.
 */
export async function letGo(sandbox: Sandbox, { onRemoval }: Pick<AttemptSetting, "onRemoval">): Promise<void> {
  const gone = sandbox.close().catch(() => undefined);
  if (onRemoval) onRemoval(gone);
  else await gone;
}

/** By which a trial's containers are found. */
export function labelsOf(plan: SandboxPlan, setting: SandboxSetting): Record<string, string> {
  return { job: setting.job, trial: `${plan.task.name}/${plan.configuration}/${plan.repeat}/${setting.attempt}` };
}

/** The network that a sandbox of this environment begins with; where the machine is guarded, as in hardened mode, without what could disturb a neighbour's. */
export function networkOf({ network, networkPolicy, guard }: TaskEnvironment): Pick<CreateOptions, "network" | "hosts" | "rawSockets"> {
  return { network, ...(networkPolicy.mode === "allowlist" && { hosts: networkPolicy.hosts }), ...(guard && { rawSockets: false }) };
}
