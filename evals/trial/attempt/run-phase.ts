import type { Sandbox, SandboxUsage } from "../../../harness/sandbox/sandbox.ts";
import type { TrialRun } from "../../bench-ports.ts";
import { collectArtifacts } from "../keep/collect-artifacts.ts";
import { classifyOutcome, type Ending } from "../classify/classify-outcome.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import { runAgent } from "./run-agent.ts";
import type { RunTally } from "../evidence/run-tally.ts";

/** What an attempt has come to; filled in as it goes, so that whatever ends it finds what there is. */
export interface Progress {
  readonly tally: RunTally;
  /** Runs of the agent, one for each step; their traces are open. */
  readonly runs: TrialRun[];
  /** Of the agent's sandbox when the last of them had ended. */
  usage: SandboxUsage | undefined;
}

/** The agent on one instruction, its artifacts, and the verdict: a task of one step, or a step. */
export async function runPhase(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, progress: Progress): Promise<Ending> {
  const { tally } = progress;
  const run = await runAgent(plan, setting, sandbox, tally);
  progress.runs.push(run);
  setting.onAgentEnd?.();
  const seen = await sandbox.evidence?.();
  const usage = seen?.usage ?? (await sandbox.usage().catch(() => undefined));
  progress.usage = usage;
  // A verifier of its own takes them itself, after its hooks. Artifacts decide nothing: an agent that ended its sandbox has none, and the verdict tells.
  if (!plan.task.verifier.environment) await collectArtifacts(sandbox, plan.task.artifacts, setting.folder).catch(() => undefined);
  return classifyOutcome(plan, setting, { sandbox, run, tally, seen, usage });
}
