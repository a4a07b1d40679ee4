import { mkdir } from "node:fs/promises";
import { InfraError } from "../../../harness/errors.ts";
import type { PreparedEnvironment } from "../../../harness/sandbox/provider.ts";
import { placeArtifacts, type CollectedArtifact } from "../keep/collect-artifacts.ts";
import { machineryFault, OutsideError, takenFromOutside } from "../evidence/evidence.ts";
import { makeSandbox } from "../sandbox/make-sandbox.ts";
import { labelsOf, letGo } from "../sandbox/make-sandbox.ts";
import type { AttemptSetting, SandboxPlan } from "../trial-plan.ts";
import type { RewardReading } from "./read-rewards.ts";
import { runVerifier } from "./run-verifier.ts";

/** What the verifier gets, and where what it prints is kept. `folder` holds `artifacts/`. */
export interface SeparateRun {
  readonly artifacts: readonly CollectedArtifact[];
  readonly folder: string;
  readonly into: string;
}

/** The tests in a sandbox of the verifier's own environment, with the artifacts in their places. @throws InfraError where the machinery failed */
export async function verifySeparate(
  plan: SandboxPlan,
  setting: Pick<AttemptSetting, "job" | "attempt" | "signal" | "onRemoval"> & { readonly prepared: PreparedEnvironment },
  { artifacts, folder, into }: SeparateRun,
): Promise<RewardReading> {
  const { task } = plan;
  const { environment } = task.verifier;
  if (!environment) throw new InfraError(`Task ${task.name} has no environment for its verifier.`);
  const { signal } = setting;
  const own = await makeSandbox(setting.prepared, environment, { labels: labelsOf(plan, setting), signal });
  try {
    await placeArtifacts(own, artifacts, folder);
    await mkdir(into, { recursive: true });
    const { bundledTests } = environment;
    const reading = await runVerifier({ task, sandbox: own, fresh: true, bundledTests, folder: into, signal });
    const taken = takenFromOutside(await own.evidence?.());
    if (taken) throw new OutsideError(taken);
    return reading;
  } catch (error) {
    if (!(error instanceof InfraError) || error instanceof OutsideError) throw error;
    const fault = machineryFault(await own.evidence?.());
    if (fault) throw new OutsideError(fault);
    // Its container ended under the tests by their own doing: no reward, as when they end without one.
    return { type: "unreadable", why: error.message };
  } finally {
    await letGo(own, setting);
  }
}
