import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { createSandbox } from "./make-sandbox.ts";
import type { SandboxPlan, SandboxSetting } from "../trial-plan.ts";

/** True when a sandbox still carries out a command. Never throws. */
export async function answers(sandbox: Sandbox): Promise<boolean> {
  try {
    const { status, exitCode } = await sandbox.exec(":", { cwd: "/", timeoutMs: 10_000 });
    return status === "exited" && exitCode === 0;
  } catch {
    return false;
  }
}

/** True when a sandbox of the trial in which no agent was can be made and carries out a command. Never throws. */
export async function freshAnswers(plan: SandboxPlan, setting: SandboxSetting): Promise<boolean> {
  const fresh = await createSandbox(plan, setting).catch(() => undefined);
  const works = fresh !== undefined && (await answers(fresh));
  await fresh?.close().catch(() => undefined);
  return works;
}
