import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InfraError } from "../../../harness/errors.ts";
import type { SystemRestored } from "../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { writeJson } from "../../../harness/files/write-json.ts";
import { limitsOf } from "../sandbox/bounds.ts";
import { endOthers } from "./end-others.ts";
import { takenFromOutside } from "../evidence/evidence.ts";
import { bringGivenTests } from "./given-tests.ts";
import { networkOf, labelsOf, letGo } from "../sandbox/make-sandbox.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import type { RewardReading } from "./read-rewards.ts";
import { runVerifier } from "./run-verifier.ts";
import { unlessTaken } from "./verify-fresh.ts";

/**
 * `verify = "snapshot"`: verification in a sandbox that begins with all that the agent left, with the system's own places restored. What was restored
 * and taken away is kept in `restored.json`.
 */
export async function verifySnapshot(plan: TrialPlan, setting: AttemptSetting, left: Sandbox, folder: string): Promise<RewardReading> {
  const { environment } = plan.task;
  const made = await setting.prepared.createFrom?.(left, {
    labels: labelsOf(plan, setting),
    ...networkOf(environment),
    env: environment.env,
    own: plan.task.forge?.paths ?? [],
    ...limitsOf(environment),
  });
  if (!made) throw new InfraError(`A sandbox of kind ${left.kind} cannot be continued from what the agent left.`);
  try {
    await keepRestored(folder, made);
    return await verifyHere(plan, setting, made.sandbox, folder);
  } finally {
    await letGo(made.sandbox, setting);
  }
}

/**
 * `verify = "live"`: verification in place, beside the task's services, after all else was ended and the system's own places were restored, twice:
 * once to have tools to end processes with, and once for what those processes did meanwhile.
 */
export async function verifyLive(plan: TrialPlan, setting: AttemptSetting, left: Sandbox, folder: string): Promise<RewardReading> {
  const o = { labels: labelsOf(plan, setting), own: plan.task.forge?.paths ?? [] };
  if (!setting.prepared.repair) throw new InfraError(`The system of a sandbox of kind ${left.kind} cannot be restored in place.`);
  const first = await setting.prepared.repair(left, o);
  await endOthers(plan.task, left);
  const second = await setting.prepared.repair(left, o);
  await keepRestored(folder, {
    restored: [...new Set([...first.restored, ...second.restored])],
    removed: [...new Set([...first.removed, ...second.removed])],
  });
  return verifyHere(plan, setting, left, folder);
}

async function verifyHere({ task }: TrialPlan, { signal }: AttemptSetting, sandbox: Sandbox, folder: string): Promise<RewardReading> {
  try {
    await bringGivenTests(task, sandbox);
    return await unlessTaken(sandbox, await runVerifier({ task, sandbox, fresh: true, folder, signal }));
  } catch (error) {
    const fault = takenFromOutside(await sandbox.evidence?.());
    if (fault) return { type: "unreadable", why: fault.says, fault };
    // What the agent left may end the sandbox under the tests: as little a reward as any other.
    if (error instanceof InfraError) return { type: "unreadable", why: error.message };
    throw error;
  }
}

async function keepRestored(folder: string, { restored, removed }: SystemRestored): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeJson(join(folder, "restored.json"), { v: 1, restored: restored.toSorted(), removed: removed.toSorted() });
}
