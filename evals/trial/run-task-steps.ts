import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { TaskStep } from "../../tasks/task.ts";
import { writeJson } from "../write-json.ts";
import { combineSteps, missed, outcomeOf, type StepOutcome, type StepsPlan } from "./combine-steps.ts";
import { outside, type Ending } from "./ending.ts";
import { machineryFault } from "./evidence.ts";
import type { AttemptSetting, TrialPlan } from "./plan.ts";
import { prepareStep, taskOfStep } from "./prepare-step.ts";
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
    const why = await prepareStep(step, sandbox, { after, mode, environment: task.environment, signal: setting.signal });
    if (why !== undefined) {
      const fault = after && machineryFault(await sandbox.evidence?.());
      if (fault) return outside(plan, setting, last?.evidence ?? [], fault);
      outcomes.push({ name: step.name, rewards: null, why });
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
