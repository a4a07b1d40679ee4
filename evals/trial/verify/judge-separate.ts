import { InfraError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { collectArtifacts } from "../keep/collect-artifacts.ts";
import type { Judgement } from "./judgement.ts";
import { keepArtifacts } from "../keep/store-artifacts.ts";
import { artifactsDigest } from "../keep/lay-out-artifacts.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import { readSeparate } from "./separate-verdict.ts";
import { runHooks } from "./run-hooks.ts";

/**
 * Verification in an environment of the verifier's own, as the task asks: what its hooks leave and its artifacts are carried there, nothing else of the
 * agent. Hardened mode ends what the agent started first, and does not take the verifier's silence for the agent's failure.
 */
export async function judgeSeparate(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox): Promise<Judgement> {
  const { task } = plan;
  const { verifier: prepared, folder } = setting;
  if (!prepared) throw new InfraError(`Task ${task.name} has no environment for its verifier.`);
  if (plan.mode === "hardened") await sandbox.endProcesses();
  await runHooks(task.verifier, sandbox, setting.signal);
  const artifacts = await collectArtifacts(sandbox, task.artifacts, folder);
  const digest = await artifactsDigest(folder).catch(() => undefined); // before the tests; what cannot be read again is not verified again
  const judgement = await readSeparate(plan, { ...setting, prepared, untouched: async () => setting.prepared }, artifacts);
  return { ...judgement, delta: await keepArtifacts(digest, setting) };
}
