import { join } from "node:path";
import { InfraError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Verification } from "../../tasks/verification.ts";
import { collectArtifacts } from "./artifacts.ts";
import { judged, type Judgement } from "./judgement.ts";
import { artifactsDigest } from "./kept-artifacts.ts";
import { leftOut } from "./keep-delta.ts";
import type { AttemptSetting, TrialPlan } from "./plan.ts";
import { verifySeparate } from "./verify-separate.ts";

/**
 * Verification in an environment of the verifier's own, as the task asks: what its hooks leave and its artifacts are carried there, nothing else of the
 * agent. The same in both modes, but for what the agent started: hardened mode ends that first.
 */
export async function judgeSeparate(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox): Promise<Judgement> {
  const { task } = plan;
  const { verifier: prepared, folder } = setting;
  if (!prepared) throw new InfraError(`Task ${task.name} has no environment for its verifier.`);
  if (plan.mode === "hardened") await sandbox.endProcesses();
  await runHooks(task.verifier, sandbox, setting.signal);
  const artifacts = await collectArtifacts(sandbox, task.artifacts, folder);
  const digest = await artifactsDigest(folder).catch(() => undefined); // what cannot be read again is not verified again
  const reading = await verifySeparate(plan, { ...setting, prepared }, { artifacts, folder, into: join(folder, "verifier") });
  const delta = leftOut("the verifier has an environment of its own, which gets artifacts alone");
  return { ...judged(reading, undefined, 0), delta: { ...delta, ...(digest === undefined ? {} : { artifacts: digest }) } };
}

/** Snapshots of what services hold. A hook that fails leaves nothing to collect, and the verifier sees that. */
async function runHooks({ collect }: Verification, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { command, service, timeoutMs, user } of collect) {
    const where = service === undefined ? sandbox : sandbox.service?.(service);
    await where?.exec(command, { timeoutMs, signal, ...(user === undefined ? {} : { user }) });
  }
}
