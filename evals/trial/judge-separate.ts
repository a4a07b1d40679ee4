import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InfraError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Verification } from "../../tasks/verification.ts";
import { collectArtifacts, placeArtifacts } from "./artifacts.ts";
import { machineryFault, OutsideError, takenFromOutside } from "./evidence.ts";
import { judged, type Judgement } from "./judgement.ts";
import { leftOut } from "./keep-delta.ts";
import { makeSandbox } from "./make-sandbox.ts";
import { labelsOf, letGo, type AttemptSetting, type TrialPlan } from "./plan.ts";
import { runVerifier } from "./run-verifier.ts";

/**
 * Verification in an environment of the verifier's own, as the task asks: what its hooks leave and its artifacts are carried there, nothing else of the
 * agent. The same in both modes, but for what the agent started: hardened mode ends that first.
 */
export async function judgeSeparate(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox): Promise<Judgement> {
  const { task } = plan;
  const { environment } = task.verifier;
  const { verifier: prepared } = setting;
  if (!environment || !prepared) throw new InfraError(`Task ${task.name} has no environment for its verifier.`);
  if (plan.mode === "hardened") await sandbox.endProcesses();
  await runHooks(task.verifier, sandbox, setting.signal);
  const artifacts = await collectArtifacts(sandbox, task.artifacts, setting.folder);
  const { signal } = setting;
  const own = await makeSandbox(prepared, environment, { labels: labelsOf(plan, setting), signal });
  try {
    await placeArtifacts(own, artifacts, setting.folder);
    const folder = join(setting.folder, "verifier");
    await mkdir(folder, { recursive: true });
    const { bundledTests } = environment;
    const reading = await runVerifier({ task, sandbox: own, fresh: true, bundledTests, folder, signal });
    const taken = takenFromOutside(await own.evidence?.());
    if (taken) throw new OutsideError(taken);
    return { ...judged(reading, undefined, 0), delta: leftOut("the verifier has an environment of its own, which gets artifacts alone") };
  } catch (error) {
    if (!(error instanceof InfraError) || error instanceof OutsideError) throw error;
    const fault = machineryFault(await own.evidence?.());
    if (fault) throw new OutsideError(fault);
    // Its container ended under the tests by their own doing: no reward, as when they end without one.
    return judged({ type: "unreadable", why: error.message }, undefined, 0);
  } finally {
    await letGo(own, setting);
  }
}

/** Snapshots of what services hold. A hook that fails leaves nothing to collect, and the verifier sees that. */
async function runHooks({ collect }: Verification, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { command, service, timeoutMs, user } of collect) {
    const where = service === undefined ? sandbox : sandbox.service?.(service);
    await where?.exec(command, { timeoutMs, signal, ...(user === undefined ? {} : { user }) });
  }
}
