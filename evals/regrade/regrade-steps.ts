import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { TaskStep } from "../../tasks/task.ts";
import { combineSteps, missed, outcomeOf, type StepOutcome } from "../trial/classify/combine-steps.ts";
import type { Ending } from "../trial/classify/classify-outcome.ts";
import { taskOfStep } from "../trial/sandbox/prepare-step.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { judgeKept, type RegradeSetting } from "./judge-kept.ts";
import { toldSteps, traceOfStep } from "./recorded-steps.ts";

/** By the tests of now a trial would have gone on, to a step of which there is no work. */
export class NotReachedError extends CannotError {}

export interface StepsToRegrade {
  readonly steps: readonly TaskStep[];
  /** Of each step's verifier, where it has an environment of its own. */
  readonly verifiers: readonly (PreparedEnvironment | undefined)[];
}

/**
 * Verifies each step of a trial again from what was kept of it, as long as the task goes on by the tests of now, and combines their rewards. A step of which
 * nothing was to be verified, because it could not begin or its agent broke its sandbox, stays what it was.
 * @throws NotReachedError; and what the verification of a step throws
 */
export async function regradeSteps(before: TrialRecord, { steps, verifiers }: StepsToRegrade, o: RegradeSetting): Promise<Ending> {
  const told = (await toldSteps(o.job, before))?.steps ?? [];
  const outcomes: StepOutcome[] = [];
  let last: Ending | undefined;
  for (const [i, step] of steps.entries()) {
    const was = told[i];
    if (!was)
      throw new NotReachedError(
        `The trial ended at step "${told.at(-1)?.name}", and by the current tests it continues: of step "${step.name}" there is no work.`,
      );
    if (!was.delta) {
      outcomes.push(was);
      break;
    }
    const folder = i === 0 ? o.folder : join(o.folder, "steps", step.name);
    await mkdir(folder, { recursive: true });
    try {
      last = {
        ...(await judgeKept(
          { ...before, trace: traceOfStep(before, i, step.name), delta: was.delta },
          { ...o, task: taskOfStep(o.task, step), prepared: verifiers[i] ?? o.prepared, folder, until: steps.slice(0, i + 1) },
        )),
        evidence: [],
      };
    } finally {
      for (const used of ["delta", "artifacts"]) await rm(join(folder, used), { recursive: true, force: true });
    }
    const outcome = outcomeOf(step.name, last, before.mode);
    outcomes.push(outcome);
    if (outcome.rewards === null || missed(outcome.rewards, step.minReward)) break;
  }
  return combineSteps(outcomes, { reward: o.task.stepReward ?? "mean", mode: before.mode, planned: steps.length }, last);
}
