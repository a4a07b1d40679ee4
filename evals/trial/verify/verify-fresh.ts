import { join } from "node:path";
import { InfraError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { applyDelta, type CarriedPath } from "../keep/carry-into-sandbox.ts";
import { OutsideError, takenFromOutside } from "../evidence/evidence.ts";
import { bringGivenTests } from "./given-tests.ts";
import { createSandbox, letGo } from "../sandbox/make-sandbox.ts";
import { remembered, verifiedAt, type AttemptSetting, type SandboxPlan, type SandboxSetting } from "../trial-plan.ts";
import { bringSteps } from "../sandbox/prepare-step.ts";
import type { RewardReading } from "./read-rewards.ts";
import { runVerifier } from "./run-verifier.ts";
import { placeOf } from "../sandbox/sandbox-places.ts";

/** Carries what the agent changed into `fresh`, a sandbox that nobody has used, and verifies there. Closes the sandbox at its end. */
export async function verifyFresh(
  plan: Pick<SandboxPlan, "task">,
  setting: Pick<AttemptSetting, "prepared" | "signal" | "onRemoval">,
  fresh: Sandbox,
  collected: readonly CarriedPath[],
  folder: string,
): Promise<RewardReading> {
  try {
    for (const one of collected) await applyDelta(fresh, placeOf(one.base, setting.prepared.workdir, fresh), one);
    await bringGivenTests(plan.task, fresh);
    return await unlessTaken(fresh, await runVerifier({ task: plan.task, sandbox: fresh, fresh: true, folder, signal: setting.signal }));
  } catch (error) {
    setting.signal.throwIfAborted();
    const fault = takenFromOutside(await fresh.evidence?.());
    if (fault) return { type: "unreadable", why: fault.says, fault };
    // A program of the agent's that the tests start may end the sandbox: as little a reward as any other. What the machinery cannot do, the next fresh sandbox shows.
    if (error instanceof InfraError) return { type: "unreadable", why: error.message };
    throw error;
  } finally {
    await letGo(fresh, setting);
  }
}

/** A reward, good or bad, is none where the sandbox or a process in it was taken away under the tests. */
export async function unlessTaken(sandbox: Sandbox, reading: RewardReading): Promise<RewardReading> {
  const fault = takenFromOutside(await sandbox.evidence?.());
  return fault ? { type: "unreadable", why: reading.type === "unreadable" ? reading.why : fault.says, fault } : reading;
}

/** What the verifier says of an environment in which no agent was: asked once for each image and task. */
export function verifyUntouched(
  plan: SandboxPlan,
  setting: SandboxSetting & Pick<AttemptSetting, "memory" | "folder" | "signal" | "until">,
): Promise<RewardReading> {
  return remembered(setting.memory.untouched, `${setting.prepared.digest} ${verifiedAt(plan, setting)}`, async () => {
    const fresh = await createSandbox(plan, setting);
    try {
      await bringSteps(setting.until ?? [], fresh, setting.signal);
      const folder = join(setting.folder, "verifier", "untouched");
      const of = { task: plan.task, sandbox: fresh, fresh: true, folder, signal: setting.signal };
      const reading = await unlessTaken(fresh, await runVerifier(of));
      if (reading.type !== "unreadable" || !reading.fault) return reading;
      // No agent was there who could have made it look so.
      const { unseen: _, ...fault } = reading.fault;
      throw new OutsideError(fault);
    } finally {
      await fresh.close();
    }
  });
}
