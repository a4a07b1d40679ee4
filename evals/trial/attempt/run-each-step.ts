import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { TaskStep } from "../../../tasks/task.ts";
import { writeJson } from "../../../harness/files/write-json.ts";
import { freshAnswers } from "../sandbox/answers.ts";
import { combineSteps, missed, outcomeOf, type StepOutcome, type StepsPlan } from "../classify/combine-steps.ts";
import { outside, type Ending } from "../classify/classify-outcome.ts";
import { machineryFault, type Evidence } from "../evidence/evidence.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import { prepareStep, taskOfStep, type CannotBegin } from "../sandbox/prepare-step.ts";
import { runPhase, type Progress } from "./run-phase.ts";

/**
 * A task of several steps: in one sandbox, one after the other, each with a run of the agent and a verification of its own. A step that cannot begin,
 * gives no reward, or less than it must, is the last. The first run lies in the attempt's folder, the others in `steps/<name>`; `steps.json` tells all.
 */
export async function runTaskSteps(
  plan: TrialPlan,
  steps: readonly TaskStep[],
  setting: AttemptSetting,
  sandbox: Sandbox,
  progress: Progress,
): Promise<Ending> {
  const { task, mode } = plan;
  const outcomes: StepOutcome[] = [];
  let last: Ending | undefined;
  for (const [i, step] of steps.entries()) {
    const after = steps[i - 1];
    const not = await prepareStep(step, sandbox, { after, mode, environment: task.environment, signal: setting.signal });
    if (not) {
      const fault = after && (await machineryOf(not, plan, setting, sandbox, progress, last?.evidence ?? []));
      if (fault) return fault;
      outcomes.push({ name: step.name, rewards: null, why: not.why });
      break;
    }
    const place = join("steps", step.name);
    const { verifier: _, ...rest } = setting;
    const verifier = setting.stepVerifiers?.[i];
    const at = i === 0 ? {} : { folder: join(setting.folder, place), trace: `${setting.trace}/${place}` };
    const until = steps.slice(0, i + 1);
    const own: AttemptSetting = { ...rest, ...(verifier && { verifier }), ...at, until, goesOn: i + 1 < steps.length };
    await mkdir(own.folder, { recursive: true });
    last = await runPhase({ ...plan, task: taskOfStep(task, step) }, own, sandbox, progress);
    if (last.class === "infra" || last.class === "cancelled") return last;
    const outcome = outcomeOf(step.name, last, mode);
    outcomes.push(outcome);
    if (outcome.rewards === null || missed(outcome.rewards, step.minReward)) break;
  }
  const whole: StepsPlan = { reward: task.stepReward ?? "mean", mode, planned: steps.length };
  await writeJson(join(setting.folder, "steps.json"), { v: 1, ...whole, steps: outcomes });
  return combineSteps(outcomes, whole, last);
}

/**
 * How the attempt ends where the machinery, and no agent, is why a step after the first cannot begin; undefined where it is not. In hardened mode a sandbox
 * that failed is the agent's doing only where it made calls there and a fresh one works, as when it fails under the agent.
 */
async function machineryOf(
  { why, broken }: CannotBegin,
  plan: TrialPlan,
  setting: AttemptSetting,
  sandbox: Sandbox,
  { tally }: Progress,
  story: readonly Evidence[],
): Promise<Ending | undefined> {
  const infra = (says: string): Ending => ({ class: "infra", error: why, evidence: [...story, { kind: "probe", says }] });
  const seen = machineryFault(await sandbox.evidence?.());
  if (seen) return outside(plan, setting, story, seen);
  if (!broken || plan.mode !== "hardened") return undefined;
  if (!tally.called) return infra("The sandbox failed between two steps, and its agent had made no call.");
  if (!(await freshAnswers(plan, setting))) return infra("The sandbox failed between two steps, and a fresh one does not respond either.");
  // Asked again: a daemon that was just going away is known to be gone by now.
  const late = machineryFault(await sandbox.evidence?.());
  return late && outside(plan, setting, story, late);
}
