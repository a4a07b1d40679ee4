import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PreparedEnvironment } from "../../../harness/sandbox/provider.ts";
import type { Mode } from "../trial-record.ts";
import { collectArtifacts, type CollectedArtifact } from "../keep/collect-artifacts.ts";
import { OutsideError } from "../evidence/evidence.ts";
import { judged, type Judgement } from "./judgement.ts";
import { createSandbox } from "../sandbox/make-sandbox.ts";
import { remembered, verifiedAt, type AttemptSetting, type SandboxPlan } from "../trial-plan.ts";
import { bringSteps } from "../sandbox/prepare-step.ts";
import type { RewardReading } from "./read-rewards.ts";
import { runHooks } from "./run-hooks.ts";
import { verifySeparate } from "./verify-separate.ts";

/** In hardened mode, as where the verifier has no environment of its own, a reward that cannot be read is looked for in this many fresh sandboxes. */
const verifications = 2;

type Setting = Pick<AttemptSetting, "job" | "attempt" | "memory" | "folder" | "signal" | "onRemoval" | "until"> & {
  /** The verifier's. */
  readonly prepared: PreparedEnvironment;
  /** The agent's environment, asked for only where an untouched one is needed. */
  readonly untouched: () => Promise<PreparedEnvironment>;
};

/**
 * What the verifier, in an environment of its own, makes of artifacts. Official: once, and no reward is 0. Hardened: a reward that stays unreadable is the
 * agent's failure only where the artifacts of an untouched environment get a readable one; else there is no score.
 */
export async function readSeparate(
  plan: SandboxPlan & { readonly mode: Mode },
  setting: Setting,
  artifacts: readonly CollectedArtifact[],
): Promise<Judgement> {
  const { folder } = setting;
  const hardened = plan.mode === "hardened";
  let reading: RewardReading = { type: "unreadable", why: "not verified" };
  for (let i = 1; i <= (hardened ? verifications : 1) && reading.type === "unreadable"; i += 1) {
    const into = join(folder, "verifier", i === 1 ? "" : String(i));
    reading = await verifySeparate(plan, setting, { artifacts, folder, into });
  }
  const fair = reading.type === "rewards" || !hardened || (await verifyUntouched(plan, setting)).type === "rewards";
  return judged(reading, undefined, fair ? 0 : null);
}

/** With the artifacts of an environment in which no agent was: asked once for each pair of images and task. */
async function verifyUntouched(plan: SandboxPlan, setting: Setting): Promise<RewardReading> {
  const { memory, folder, signal } = setting;
  const prepared = await setting.untouched();
  return remembered(memory.untouched, `${prepared.digest} ${setting.prepared.digest} ${verifiedAt(plan, setting)}`, async () => {
    const kept = await mkdtemp(join(folder, "untouched-"));
    try {
      const fresh = await createSandbox(plan, { ...setting, prepared });
      try {
        await bringSteps(setting.until ?? [], fresh, signal);
        await runHooks(plan.task.verifier, fresh, signal);
        const artifacts = await collectArtifacts(fresh, plan.task.artifacts, kept);
        return await verifySeparate(plan, setting, { artifacts, folder: kept, into: join(folder, "verifier", "untouched") });
      } finally {
        await fresh.close();
      }
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      // No agent was there who could have made it look so.
      const { unseen: _, ...fault } = error.fault;
      throw new OutsideError(fault);
    } finally {
      await rm(kept, { recursive: true, force: true });
    }
  });
}
