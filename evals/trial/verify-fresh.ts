import { join } from "node:path";
import { InfraError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { applyDelta, type CarriedPath } from "./apply-delta.ts";
import { endedFromOutside } from "./evidence.ts";
import { bringGivenTests } from "./given-tests.ts";
import { createSandbox, remembered, type AttemptSetting, type SandboxPlan, type SandboxSetting } from "./plan.ts";
import type { RewardReading } from "./read-rewards.ts";
import { runVerifier } from "./run-verifier.ts";
import { placeOf } from "./sandbox-places.ts";

/** Carries what the agent changed into `fresh`, a sandbox that nobody has used, and verifies there. Closes the sandbox at its end. */
export async function verifyFresh(
  plan: Pick<SandboxPlan, "task">,
  setting: Pick<AttemptSetting, "prepared" | "signal">,
  fresh: Sandbox,
  collected: readonly CarriedPath[],
  folder: string,
): Promise<RewardReading> {
  try {
    for (const one of collected) await applyDelta(fresh, placeOf(one.base, setting.prepared.workdir, fresh), one);
    await bringGivenTests(plan.task, fresh);
    const reading = await runVerifier({ task: plan.task, sandbox: fresh, fresh: true, folder, signal: setting.signal });
    return reading.type === "rewards" ? reading : await withFault(reading, fresh);
  } catch (error) {
    setting.signal.throwIfAborted();
    const fault = endedFromOutside(await fresh.evidence?.());
    if (fault) return { type: "unreadable", why: fault.says, fault };
    // A program of the agent's that the tests start may end the sandbox: as little a reward as any other. What the machinery cannot do, the next fresh sandbox shows.
    if (error instanceof InfraError) return { type: "unreadable", why: error.message };
    throw error;
  } finally {
    await fresh.close();
  }
}

/** Whether somebody outside took the sandbox away under the tests. */
async function withFault(reading: RewardReading & { type: "unreadable" }, sandbox: Sandbox): Promise<RewardReading> {
  const fault = endedFromOutside(await sandbox.evidence?.());
  return fault ? { ...reading, fault } : reading;
}

/** What the verifier says of an environment in which no agent was: asked once for each image and task. */
export function verifyUntouched(
  plan: SandboxPlan,
  setting: SandboxSetting & Pick<AttemptSetting, "memory" | "folder" | "signal">,
): Promise<RewardReading> {
  return remembered(setting.memory.untouched, `${setting.prepared.digest} ${plan.task.digest}`, async () => {
    const fresh = await createSandbox(plan, setting);
    try {
      const folder = join(setting.folder, "verifier", "untouched");
      return await runVerifier({ task: plan.task, sandbox: fresh, fresh: true, folder, signal: setting.signal });
    } finally {
      await fresh.close();
    }
  });
}
