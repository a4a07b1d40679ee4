import { availableParallelism, loadavg } from "node:os";
import { simulatedFingerprint } from "../../../harness/models/simulated/fingerprint.ts";
import type { SandboxUsage } from "../../../harness/sandbox/sandbox.ts";
import type { TrialRun } from "../../bench-ports.ts";
import { agentName } from "../trial-key.ts";
import type { TrialRecord } from "../trial-record.ts";
import { boundsOf } from "../sandbox/bounds.ts";
import type { Ending } from "../classify/classify-outcome.ts";
import { leftOut } from "../keep/store-delta.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import type { RunTally } from "../evidence/run-tally.ts";

export interface RecordParts {
  readonly plan: TrialPlan;
  readonly setting: AttemptSetting;
  readonly startedAt: number;
  /** Undefined where the agent did not begin. */
  readonly run: TrialRun | undefined;
  readonly usage: SandboxUsage | undefined;
  readonly tally: RunTally;
  readonly ending: Ending;
}

/** The record of an attempt, complete. */
export function recordOf({ plan, setting, startedAt, run, usage, tally, ending }: RecordParts): TrialRecord {
  const { task, config } = plan;
  const spent = run?.result.spent;
  const score = "score" in ending ? ending.score : null;
  const why = "error" in ending ? ending.error : "why" in ending ? ending.why : undefined;
  return {
    v: 1,
    key: plan.key,
    task: task.name,
    taskDigest: task.digest,
    family: task.metadata.family ?? null,
    ...(task.metadata.category === undefined ? {} : { category: task.metadata.category }),
    difficulty: task.metadata.difficulty ?? null,
    configuration: plan.configuration,
    harnessHash: config.hash,
    forgeVersion: setting.ports.forgeVersion,
    agent: agentName(plan.agent),
    modelIdentity: { ...(run?.model ?? plan.model) },
    repeat: plan.repeat,
    attempt: setting.attempt,
    class: ending.class,
    evidence: [...ending.evidence],
    rewards: "rewards" in ending && ending.rewards ? { ...ending.rewards } : null,
    score,
    passed: score === null ? null : score >= 1,
    tokens: { in: spent?.input ?? 0, out: spent?.output ?? 0, cached: spent?.cached ?? 0 },
    costUsd: spent ? spent.costUsd : 0,
    priceTable: (run?.model ?? plan.model).priceTable,
    turns: spent?.turns ?? 0,
    interventions: tally.interventions,
    activeMs: spent?.activeMs ?? 0,
    wallMs: setting.ports.clock.now() - startedAt,
    seed: plan.seed,
    sandbox: plan.sandbox,
    mode: plan.mode,
    simulated: (run?.model ?? plan.model).simulated === true || run?.served?.fingerprint === simulatedFingerprint,
    servedModel: run?.served?.model ?? null,
    imageDigest: setting.prepared.digest || null,
    deviations: [...setting.prepared.deviations],
    load: { cpus: availableParallelism(), average: Math.round((loadavg()[0] ?? 0) * 100) / 100, jobs: setting.jobs },
    bounds: boundsOf(plan),
    usage: usage ? { ...usage } : null,
    outcome: run ? { ...run.result.outcome } : null,
    replyDigest: tally.replyDigest(),
    ...workspaceOf(ending),
    ...deltaOf(ending),
    trace: setting.trace,
    startedAt,
    ...(why === undefined ? {} : { error: why }),
  };
}

/** Only a trial that has a score, or whose verifier is at fault, is ever verified again. */
function deltaOf(ending: Ending): Pick<TrialRecord, "delta"> {
  if (ending.class === "infra" || ending.class === "cancelled") return {};
  return { delta: ("delta" in ending ? ending.delta : undefined) ?? leftOut("there was nothing that could be collected") };
}

function workspaceOf(ending: Ending): Pick<TrialRecord, "workspaceHash" | "workspaceWhy"> {
  const hash = "workspace" in ending ? ending.workspace?.hash : undefined;
  if (!hash) return { workspaceHash: null };
  return hash.hash === null ? { workspaceHash: null, workspaceWhy: hash.why } : { workspaceHash: hash.hash };
}
