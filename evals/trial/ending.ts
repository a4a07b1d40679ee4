import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Judgement } from "./judgement.ts";
import { createSandbox, type AttemptSetting, type TrialPlan } from "./plan.ts";
import type { RunTally } from "./run-tally.ts";

/** How an attempt ended: judged, or without a judgement. */
export type Ending =
  | (Judgement & { readonly error?: string })
  | { readonly class: "cancelled" }
  | { readonly class: "infra"; readonly error: string }
  | { readonly class: "agent"; readonly rewards: null; readonly score: 0; readonly error: string };

/**
 * Whose fault it is that the agent's sandbox is gone. The agent's, scored 0, only with all three pieces of evidence: it made calls
 * there, its sandbox answers no more, and a fresh one does. Else the machinery's.
 */
export async function broken(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, tally: RunTally, error: string): Promise<Ending> {
  if (!tally.called || (await answers(sandbox))) return { class: "infra", error };
  const fresh = await createSandbox(plan, setting).catch(() => undefined);
  if (!fresh) return { class: "infra", error };
  try {
    if (!(await answers(fresh))) return { class: "infra", error };
  } finally {
    await fresh.close().catch(() => undefined);
  }
  return { class: "agent", rewards: null, score: 0, error: `The agent broke its own sandbox: ${error}` };
}

async function answers(sandbox: Sandbox): Promise<boolean> {
  try {
    const { status, exitCode } = await sandbox.exec(":", { cwd: "/", timeoutMs: 10_000 });
    return status === "exited" && exitCode === 0;
  } catch {
    return false;
  }
}
